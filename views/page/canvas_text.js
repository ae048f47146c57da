/* Texts on a canvas: measured, cut and wrapped, with a rim that keeps them readable over lines. */

export const BUTTONS = { across: 134, down: 58 }; // of the buttons below on the right

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

/* The width of a text, measured once. */
export function widthOf(context, text) {
  const key = `${context.font} ${text}`;
  if (!widths.has(key)) {
    if (widths.size > 20000) widths.clear();
    widths.set(key, context.measureText(text).width);
  }
  return widths.get(key);
}
