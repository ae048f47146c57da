/* What tells series apart: a colour and a pattern, a shape of points, a kind of line. */

import { html } from "../html.js";

const COLOURS = 7; // --kind-1 and on, in tokens.css
const RADIUS = 5.5;

/* The class of the colour of the series at a place. */
export const colourOf = (place) => `series-${(place % COLOURS) + 1}`;

/* Lines and dots over a colour, the first series without; tiles of 8 × 8 pixels. */
const PATTERNS = [
  "",
  "M-2 2l4-4M0 8l8-8M6 10l4-4",
  "M4 0v8",
  "M-2 6l4 4M0 0l8 8M6-2l4 4",
  "M1.5 2h2M5.5 6h2",
  "M0 0l8 8M0 8l8-8",
];

/* The patterns of a drawing, for `patternOf`. */
export function Patterns({ id }) {
  return html`<defs>
    ${PATTERNS.map(
      (path, place) => path && html`<pattern id=${`${id}-${place}`} width="8" height="8" patternUnits="userSpaceOnUse">
        <path class="tile" d=${path} /></pattern>`,
    )}
    <pattern id=${`${id}-none`} width="6" height="6" patternUnits="userSpaceOnUse"><path class="tile-none" d="M-1 1l2-2M0 6l6-6M5 7l2-2" /></pattern>
  </defs>`;
}

/* What the rectangle over a bar is filled with. */
export function patternOf(id, place) {
  return PATTERNS[place % PATTERNS.length] ? `url(#${id}-${place % PATTERNS.length})` : "none";
}

/* The shapes of points, around 0, 0. */
const SHAPES = [
  "M-4.6 0a4.6 4.6 0 1 0 9.2 0a4.6 4.6 0 1 0-9.2 0z",
  "M-4.3-4.3h8.6v8.6h-8.6z",
  "M0-5.6l5.4 9.6h-10.8z",
  "M0-6l6 6l-6 6l-6-6z",
  "M0 5.6l5.4-9.6h-10.8z",
  "M-5.5-2.2h3.3v-3.3h4.4v3.3h3.3v4.4h-3.3v3.3h-4.4v-3.3h-3.3z",
  "M-5.5-3l2.5-2.5 3 3 3-3 2.5 2.5-3 3 3 3-2.5 2.5-3-3-3 3-2.5-2.5 3-3z",
  "M-5.4 0l2.7-4.7h5.4l2.7 4.7l-2.7 4.7h-5.4z",
];

/* The shape of the points of the series at a place. */
export const shapeOf = (place) => SHAPES[place % SHAPES.length];

const DASHES = ["none", "7 4", "2 3", "9 3 2 3", "12 4", "4 2", "2 2 6 2"];

/* The dashes of the line of the series at a place. */
export const dashOf = (place) => DASHES[place % DASHES.length];

/* Half of the room that a point takes. */
export const HALF = RADIUS + 1;
