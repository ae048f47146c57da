/* A matrix: cells with their figures, deeper in colour the larger these are. */

import { html } from "../html.js";
import { t } from "../words.js";
import { said } from "./figures.js";
import { fitted, LINE, widest, widthOf, wrapped } from "./lettering.js";
import { Patterns } from "./signs.js";

const NARROWEST = 20; // a cell's width; where there is less room, the drawing is scrolled
const WIDEST = 150;
const UPRIGHT = 130; // the most that names of columns take where they stand upright
const SMALL = 11;

/* The drawing of a matrix. */
export function MatrixDrawing({ plot, width, id, label }) {
  const { rows, columns, values, unit } = plot;
  const place = placesOf(plot, width);
  const shade = shadesOf(values, unit);
  const height = place.top + rows.length * place.tall + 2;
  const across = Math.max(width, place.left + columns.length * place.wide);
  const box = { viewBox: `0 0 ${across} ${height}`, width: across, height };
  return html`<div class="plot-scroll" role="region" tabindex=${across > width ? "0" : null} aria-label=${t("p_plot", plot)}>
    <svg class=${`drawing${across > width ? " broad" : ""}`} role="img" aria-label=${label} ...${box}>
      <${Patterns} id=${id} />
      ${columns.map((name, x) => html`<${ColumnName} name=${name} x=${place.left + (x + 0.5) * place.wide} place=${place} />`)}
      ${rows.map((name, y) => html`<${RowName} name=${name} y=${place.top + (y + 0.5) * place.tall} place=${place} />`)}
      ${rows.map((row, y) =>
        columns.map((column, x) => {
          const value = values[y]?.[x];
          const figure = typeof value === "number" ? said(value, unit) : "";
          return html`<g class="cell-group">
            <title>${row}, ${column}: ${figure || t("p_not_measured")}</title>
            <${Cell} x=${place.left + x * place.wide} y=${place.top + y * place.tall} place=${place} id=${id}
              shade=${figure ? shade(value) : null} figure=${figure && shortened(figure, value, unit, place.wide)} />
          </g>`;
        }),
      )}
    </svg>
  </div>`;
}

/* Where the cells stand, and how wide and tall they are. */
function placesOf({ rows, columns }, width) {
  const left = Math.min(widest(rows) + 10, width * 0.3);
  const wide = Math.min(WIDEST, Math.max(NARROWEST, (width - left) / Math.max(columns.length, 1)));
  const named = columns.map((name) => wrapped(name, wide - 8, 3));
  const isWhole = columns.every((name, at) => named[at].join(" ") === name.trim().replace(/\s+/gu, " "));
  const top = isWhole
    ? Math.max(1, ...named.map((lines) => lines.length)) * LINE + 6
    : Math.min(widest(columns), UPRIGHT) + 10;
  const lines = rows.map((name) => wrapped(name, left - 10, 2));
  const tall = Math.max(Math.min(40, Math.max(26, wide * 0.5)), ...lines.map((one) => one.length * LINE + 4));
  return { left, wide, top, tall, isWhole };
}

function ColumnName({ name, x, place }) {
  if (!place.isWhole) {
    return html`<text transform=${`translate(${x} ${place.top - 6}) rotate(-90)`} class="middle">${fitted(name, UPRIGHT)}<title>${name}</title></text>`;
  }
  const lines = wrapped(name, place.wide - 8, 3);
  return lines.map(
    (line, at) => html`<text x=${x} y=${place.top - 8 - (lines.length - 1 - at) * LINE} text-anchor="middle">${line}</text>`,
  );
}

function RowName({ name, y, place }) {
  const lines = wrapped(name, place.left - 10, 2);
  return lines.map(
    (line, at) => html`<text class="middle" x=${place.left - 10} y=${y + (at - (lines.length - 1) / 2) * LINE} text-anchor="end">${line}<title>${name}</title></text>`,
  );
}

function Cell({ x, y, place, id, shade, figure }) {
  const box = { x: x + 1, y: y + 1, width: place.wide - 2, height: place.tall - 2, rx: 3 };
  const middle = { x: x + place.wide / 2, y: y + place.tall / 2, "text-anchor": "middle" };
  if (shade === null) return html`<rect class="cell-none" fill=${`url(#${id}-none)`} ...${box} />`;
  const isSmall = widthOf(figure) > place.wide - 6;
  return html`<rect class="cell" style=${{ "--depth": `${Math.round(shade * 100)}%` }} ...${box} />
    <text class=${`middle${isSmall ? " small-text" : ""}`} ...${middle}>${figure}</text>`;
}

/* A figure as it fits into a cell: in a narrow one whole percent, without the sign; or nothing. */
function shortened(figure, value, unit, wide) {
  if (widthOf(figure) <= wide - 6) return figure;
  const short = unit === "share" ? `${Math.round(value * 100)}` : figure;
  return widthOf(short, SMALL) <= wide - 1 ? short : "";
}

/* From 0 to 1 for each value: a share as it is, others between the least and the most of all. */
function shadesOf(values, unit) {
  const all = values.flat().filter((one) => typeof one === "number");
  const isShare = unit === "share" && all.every((one) => one >= 0 && one <= 1);
  const least = isShare ? 0 : Math.min(0, ...all);
  const most = isShare ? 1 : Math.max(0, ...all);
  return (value) => (value - least) / (most - least || 1);
}
