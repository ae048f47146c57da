/* Bars, one below the other, each with its name, its figure and its interval. */

import { html } from "../html.js";
import { t } from "../words.js";
import { intervalOf, said, shortly } from "./figures.js";
import { LINE, widest, widthOf, wrapped } from "./lettering.js";
import { roomyScale } from "./scales.js";
import { colourOf, patternOf, Patterns } from "./signs.js";

const THICK = 14;
const ROW = 24; // height of a bar with a name of one line
const HEADING = 34;
const AXIS = 26;
const ROOMY = 560; // width from which on intervals are written out
const BOLD = 1.12; // how much wider figures are in bold
const LONG = 600; // height from which on the axis stands above, too

/* The drawing of a plot of bars. */
export function BarsDrawing({ plot, width, id, label }) {
  const { rows, scale, height, left, right, far } = laidOut(plot, width);
  const places = height > LONG ? [LINE, height - 6] : [height - 6];
  return html`<svg class="drawing" role="img" aria-label=${label} viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height}>
    <${Patterns} id=${id} />
    ${scale.ticks.map(
      (tick) => html`<line class=${tick === 0 ? "zero" : "grid"} x1=${scale.at(tick)} x2=${scale.at(tick)} y1=${places.length > 1 ? AXIS : 2} y2=${height - AXIS} />
        ${places.map((y) => html`<text class="tick" x=${scale.at(tick)} y=${y} text-anchor="middle">${shortly(tick, plot.unit)}</text>`)}`,
    )}
    ${rows.map((row) =>
      row.heading
        ? html`<text class="heading" x="0" y=${row.y + HEADING - 10}>${row.heading[0]}<title>${row.name}</title></text>`
        : html`<${Bar} ...${row} unit=${plot.unit} id=${id} scale=${scale} left=${left} right=${right} far=${far} width=${width} />`,
    )}
  </svg>`;
}

/* The rows from top to bottom, and the scale between the names and the figures. */
function laidOut(plot, width) {
  const groups = Object.entries(plot.groups);
  const bars = groups.flatMap(([, group]) => group);
  const names = [...new Set(bars.map((bar) => bar.name))];
  const recur = names.length < bars.length; // else a colour each would say nothing
  const left = Math.min(widest(names) + 10, width * 0.36);
  const figures = bars.map((bar) => figureOf(bar, plot.unit, width));
  const far = width - widest(figures.map((one) => one.interval)) - 2;
  const right = far - widest(figures.map((one) => one.value)) * BOLD - 12;
  const measured = bars.flatMap((bar) => [bar.value, bar.low, bar.high]).filter((one) => typeof one === "number");
  const scale = roomyScale(measured, [left, right - 8], plot.unit, (tick) => widthOf(shortly(tick, plot.unit)));
  const rows = [];
  let y = 0;
  for (const [group, own] of groups) {
    if (groups.length > 1) {
      rows.push({ y, name: group, heading: wrapped(group, width, 1) });
      y += HEADING;
    }
    for (const bar of own) {
      const lines = wrapped(bar.name, left - 10, 2);
      const tall = Math.max(ROW, lines.length * LINE + 6);
      const place = recur ? names.indexOf(bar.name) : 0;
      rows.push({ y, tall, lines, bar, place, group: groups.length > 1 ? group : "", figure: figureOf(bar, plot.unit, width) });
      y += tall;
    }
  }
  const above = y + AXIS > LONG ? AXIS : 0;
  return { rows: rows.map((row) => ({ ...row, y: row.y + above })), scale, height: above + y + AXIS, left, right, far };
}

function figureOf(bar, unit, width) {
  if (typeof bar.value !== "number") return { value: "", interval: "" };
  const interval = width > ROOMY ? intervalOf(bar, unit) : "";
  return { value: said(bar.value, unit), interval: interval && `(${interval})` };
}

function Bar({ y, tall, lines, bar, place, group, figure, unit, id, scale, left, right, far, width }) {
  const middle = y + tall / 2;
  const isMeasured = typeof bar.value === "number";
  const spoken = isMeasured ? [said(bar.value, unit), intervalOf(bar, unit) && `(${intervalOf(bar, unit)})`] : [t("p_not_measured")];
  return html`<g class="bar-row">
    <title>${[group, bar.name].filter(Boolean).join(", ")}: ${spoken.filter(Boolean).join(" ")}</title>
    <rect class="hover" x="0" y=${y} width=${width} height=${tall} />
    ${lines.map((line, at) => html`<text x=${left - 10} y=${middle + (at - (lines.length - 1) / 2) * LINE} text-anchor="end" class="middle">${line}</text>`)}
    ${isMeasured && html`<${Body} bar=${bar} place=${place} id=${id} scale=${scale} middle=${middle} />`}
    ${!isMeasured && html`<text class="middle soft-text" x=${scale.at(0) + 6} y=${middle}>${t("p_not_measured")}</text>`}
    <text class="middle strong" x=${right + 4} y=${middle}>${figure.value}</text>
    <text class="middle soft-text" x=${far} y=${middle}>${figure.interval}</text>
  </g>`;
}

/* The bar itself, from zero to its value, and the line of its interval. */
function Body({ bar, place, id, scale, middle }) {
  const [from, to] = [scale.at(0), scale.at(bar.value)].sort((a, b) => a - b);
  const box = { x: from, y: middle - THICK / 2, width: Math.max(to - from, 1), height: THICK, rx: 2 };
  const hasInterval = typeof bar.low === "number" && typeof bar.high === "number";
  return html`<rect class=${`mark ${colourOf(place)}`} ...${box} />
    <rect fill=${patternOf(id, place)} ...${box} />
    ${hasInterval && html`<path class="interval" d=${whisker(scale.at(bar.low), scale.at(bar.high), middle)} />`}`;
}

const whisker = (low, high, y) => `M${low} ${y}H${high}M${low} ${y - 4}v8M${high} ${y - 4}v8`;
