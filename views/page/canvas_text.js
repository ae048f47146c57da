/* Texts on a canvas: measured, cut and wrapped, with a rim that keeps them readable over lines. */

export const BUTTONS = { across: 134, down: 58 }; // of the buttons below on the right

const APART = 3; // pixels on each side of a name, so that none touches the next
const OUTSIDE = 1e5; // as far as anything

/* The box of the buttons, where nothing is written. */
export const corner = ({ width, height }) => [width - BUTTONS.across, height - BUTTONS.down, width, height];

const widths = new Map();

/* Takes letters into use for what is written next. */
export function letters(context, ink, size, weight) {
  context.font = `${weight} ${size}px ${ink.font}`;
  context.textAlign = "center";
  context.lineJoin = "round";
  context.lineWidth = size / 3;
  context.strokeStyle = ink.surface;
  context.fillStyle = ink.ink;
}

/* Writes a text, centred, above a point of its line. */
export function write(context, text, x, y) {
  context.strokeText(text, x, y);
  context.fillText(text, x, y);
}

/* A text as far as it fits a width. */
export function cut(context, text, widest) {
  const whole = widthOf(context, text);
  if (whole <= widest) return text;
  let most = Math.floor((text.length * widest) / whole);
  while (most > 1 && widthOf(context, `${text.slice(0, most).trimEnd()}…`) > widest) most -= 1;
  return `${text.slice(0, most).trimEnd()}…`;
}

/* The lines of a text that is broken between words. */
export function wrapped(context, text, widest) {
  const lines = [];
  for (const word of text.split(/\s+/)) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && widthOf(context, longer) <= widest) lines[lines.length - 1] = longer;
    else lines.push(cut(context, word, widest));
  }
  return lines;
}

/* The boxes of lines of a size about a point with a radius: below, above, beside, at the corners; the best first. */
export function around(context, lines, x, y, r, size) {
  const half = Math.max(...lines.map((line) => widthOf(context, line))) / 2;
  const high = 2 + size * (0.2 + 1.15 * lines.length);
  const [below, above, beside] = [y + r + 2, y - r - 2 - high, y - high / 2];
  const [aside, corner] = [half + r + 4, half + 2];
  const places = [[0, below], [0, above], [aside, beside], [-aside, beside]];
  for (const side of [corner, -corner]) places.push([side, below], [side, above]);
  return places.map(([away, top]) => ({ lines, middle: x + away, box: [x + away - half - APART, top, x + away + half + APART, top + high] }));
}

/* Writes the lines of such a box. */
export function writeIn(context, { lines, middle, box }, size) {
  lines.forEach((line, at) => write(context, line, middle, box[1] + 2 + size * (0.8 + 1.15 * at)));
}

/* Whether nothing is written in a box yet; it is taken then. */
export function isFree(taken, box) {
  if (taken.some((one) => one[0] < box[2] && box[0] < one[2] && one[1] < box[3] && box[1] < one[3])) return false;
  taken.push(box);
  return true;
}

/* What lies beside a view, where nothing is written. */
export const beside = ({ width }) => [-OUTSIDE, width].map((side) => [side, -OUTSIDE, side + OUTSIDE, OUTSIDE]);

/* The width of a text, measured once. */
export function widthOf(context, text) {
  const key = `${context.font} ${text}`;
  if (!widths.has(key)) {
    if (widths.size > 20000) widths.clear();
    widths.set(key, context.measureText(text).width);
  }
  return widths.get(key);
}
