/* Text in drawings: how wide it is, and what of it fits. */

export const SIZE = 13; // pixels, as plots.css has it
export const LINE = 16;
const MOST = 400; // characters of which more would never fit

const ruler = document.createElement("canvas").getContext("2d");
const FAMILY = getComputedStyle(document.body).fontFamily;

/* The width of a text in pixels. */
export function widthOf(text, size = SIZE) {
  ruler.font = `${size}px ${FAMILY}`;
  return ruler.measureText(text).width;
}

/* The width of the widest of some texts. */
export const widest = (texts) => Math.max(0, ...texts.map((text) => widthOf(text.slice(0, MOST))));

/* A text on one line, its end left out where it is too wide. */
export function fitted(text, width) {
  const line = oneLine(text);
  if (widthOf(line) <= width) return line;
  return `${line.slice(0, beginning(line, width - widthOf("…"))).trimEnd()}…`;
}

/* A text on at most so many lines, parted between words where that can be. */
export function wrapped(text, width, most = 2) {
  const lines = [];
  let rest = oneLine(text);
  while (lines.length < most - 1 && widthOf(rest) > width) {
    const whole = beginning(rest, width);
    const space = rest.lastIndexOf(" ", whole);
    const end = space > 0 ? space : whole;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, fitted(rest, width)];
}

const oneLine = (text) => text.trim().replace(/\s+/gu, " ").slice(0, MOST);

/* How many characters of a text fit, one at least. */
function beginning(text, width) {
  let [few, many] = [1, text.length];
  while (few < many) {
    const middle = Math.ceil((few + many) / 2);
    if (widthOf(text.slice(0, middle)) <= width) few = middle;
    else many = middle - 1;
  }
  return /[\uD800-\uDBFF]/.test(text[few - 1]) ? few + 1 : few;
}
