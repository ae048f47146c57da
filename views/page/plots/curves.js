/* Curves: points in a plane, joined to lines or each for itself, with the intervals of their values. */

import { html } from "../html.js";
import { t } from "../words.js";
import { hasIntervals, intervalOf, said, shortly } from "./figures.js";
import { fitted, widest, widthOf } from "./lettering.js";
import { evenScale, isWide, logScale, readable, roomyScale } from "./scales.js";
import { colourOf, dashOf, HALF, shapeOf } from "./signs.js";

const TOP = 30; // above it stands what the values are
const BOTTOM = 48; // below it stand the ticks and the name of the other axis
const RIGHT = 18;
const [LOWEST, HIGHEST] = [250, 400];
const WIDTH = 20; // of all intervals at one place
const FEW = 14; // places of joined points that are all ticks

/* The drawing of curves, and what its signs stand for. */
export function CurvesDrawing({ plot, width, label }) {
  const names = Object.keys(plot.curves);
  const spots = names.flatMap((name, place) =>
    plot.curves[name].filter((one) => typeof one.y === "number" && typeof one.x === "number").map((spot) => ({ spot, name, place })),
  );
  const plane = planeOf(plot, spots.map(({ spot }) => spot), width);
  // Intervals at the same place stand a little apart.
  const apart = plot.joined && hasIntervals(plot) ? Math.min(6, WIDTH / names.length) : 0;
  const aside = (place) => (place - (names.length - 1) / 2) * apart;
  const drawn = spots.map((one) => ({ ...one, x: plane.x.at(one.spot.x) + aside(one.place), y: plane.y.at(one.spot.y) }));
  const labels = labelsOf(drawn, plot, plane);
  const isTold = !plot.joined && names.every((name) => plot.curves[name].length < 2) && labels.every((one) => one.isPlaced);
  return html`<svg class="drawing" role="img" aria-label=${label} viewBox=${`0 0 ${width} ${plane.height}`} width=${width} height=${plane.height}>
      <${Axes} plot=${plot} plane=${plane} width=${width} />
      ${plot.joined && names.map((name, place) => html`<path class=${`curve ${colourOf(place)}`} stroke-dasharray=${dashOf(place)} d=${pathOf(drawn, place)} />`)}
      ${drawn.map((one) => html`<${Point} ...${one} plot=${plot} plane=${plane} />`)}
      ${labels.filter((one) => one.isPlaced).map((one) => html`<text class="middle point-name" x=${one.left} y=${one.top + one.tall / 2}>${one.text}</text>`)}
    </svg>
    ${!isTold && html`<${Key} names=${names} joined=${plot.joined} />`}`;
}

/* The room between the axes, and a scale for each. */
function planeOf(plot, spots, width) {
  const height = Math.round(Math.min(HIGHEST, Math.max(LOWEST, width * 0.55)));
  const xs = spots.map((spot) => spot.x);
  const ys = spots.flatMap((spot) => [spot.y, spot.low ?? spot.y, spot.high ?? spot.y]);
  const y = evenScale(ys, [height - BOTTOM, TOP], 5, plot.y_unit, true);
  const left = widest(y.ticks.map((tick) => shortly(tick, plot.y_unit))) + 10;
  const isLog = isWide(xs);
  const room = [left + HALF, width - RIGHT];
  const wide = (tick) => widthOf(shortly(tick, plot.x_unit));
  const x = isLog ? logScale(xs, room, Math.floor(width / 90)) : roomyScale(xs, room, plot.x_unit, wide);
  const places = [...new Set(xs)].sort((a, b) => a - b);
  const wanted = plot.joined && places.length <= FEW ? places : x.ticks;
  const ticks = readable(wanted, x.at, wide);
  return { height, left, y, x: { ...x, ticks }, isLog, right: width - RIGHT };
}

function Axes({ plot, plane, width }) {
  const bottom = plane.height - BOTTOM;
  const across = plane.isLog ? t("p_log", { label: plot.x_label }) : plot.x_label;
  return html`<text class="axis-name" x="0" y="14">${fitted(plot.y_label, width)}</text>
    ${plane.y.ticks.map(
      (tick) => html`<line class="grid" x1=${plane.left} x2=${plane.right} y1=${plane.y.at(tick)} y2=${plane.y.at(tick)} />
        <text class="tick middle" x=${plane.left - 8} y=${plane.y.at(tick)} text-anchor="end">${shortly(tick, plot.y_unit)}</text>`,
    )}
    <line class="zero" x1=${plane.left} x2=${plane.right} y1=${bottom} y2=${bottom} />
    ${plane.x.ticks.map(
      (tick) => html`<line class="zero" x1=${plane.x.at(tick)} x2=${plane.x.at(tick)} y1=${bottom} y2=${bottom + 5} />
        <text class="tick" x=${plane.x.at(tick)} y=${bottom + 19} text-anchor="middle">${shortly(tick, plot.x_unit)}</text>`,
    )}
    <text class="axis-name" x=${plane.right} y=${plane.height - 6} text-anchor="end">${fitted(across, plane.right)}</text>`;
}

/* A point with its interval; what it stands for is told where the mouse rests. */
function Point({ spot, name, place, x, y, plot, plane }) {
  const hasInterval = typeof spot.low === "number" && typeof spot.high === "number";
  const interval = intervalOf(spot, plot.y_unit);
  const told = `${[name, spot.name].filter(Boolean).join(", ")}: ${plot.x_label} ${said(spot.x, plot.x_unit)}, ${plot.y_label} ${said(spot.y, plot.y_unit)}${interval && ` (${interval})`}`;
  return html`<g class=${`plot-point ${colourOf(place)}`}>
    <title>${told}</title>
    ${hasInterval && html`<path class="reach" d=${whisker(x, plane.y.at(spot.low), plane.y.at(spot.high))} />`}
    <path class="plot-sign" transform=${`translate(${x} ${y})`} d=${shapeOf(place)} />
  </g>`;
}

const whisker = (x, low, high) => `M${x} ${low}V${high}M${x - 4} ${low}h8M${x - 4} ${high}h8`;

function pathOf(drawn, place) {
  const own = drawn.filter((one) => one.place === place).sort((a, b) => a.x - b.x);
  return own.map(({ x, y }, at) => `${at ? "L" : "M"}${x} ${y}`).join("");
}

/* The names of points, beside them where there is room; of two that would overlap the first. */
function labelsOf(drawn, plot, plane) {
  const taken = drawn.map(({ x, y }) => ({ left: x - HALF, top: y - HALF, wide: 2 * HALF, tall: 2 * HALF }));
  const lines = drawn.map(({ x, spot }) => {
    const [top, end] = [spot.high ?? spot.y, spot.low ?? spot.y].map(plane.y.at);
    return { left: x - 5, top, wide: 10, tall: end - top };
  });
  return drawn
    .map((one) => ({ ...one, text: one.spot.name ?? (plot.joined || plot.curves[one.name].length > 1 ? "" : one.name) }))
    .filter((one) => one.text)
    .map((one) => {
      const free = besides(one, plane).filter((way) => isInside(way, plane) && !taken.some((other) => overlap(way, other)));
      const box = free.find((way) => !lines.some((line) => overlap(way, line))) ?? free[0];
      if (box) taken.push(box);
      return { ...box, isPlaced: Boolean(box) };
    });
}

/* The boxes of a name to the right of a point, to its left, above and below. */
function besides({ x, y, text }, plane) {
  const line = fitted(text, (plane.right - plane.left) * 0.45);
  const box = { text: line, wide: widthOf(line) + 2, tall: 15 };
  const [middle, gap] = [y - box.tall / 2, HALF + 3];
  const sides = [x + gap, x - gap - box.wide];
  return [
    ...sides.map((left) => ({ ...box, left, top: middle })),
    ...[-1, 1].flatMap((way) => sides.map((left) => ({ ...box, left, top: middle + way * 9 }))),
    { ...box, left: x - box.wide / 2, top: y - gap - box.tall },
    { ...box, left: x - box.wide / 2, top: y + gap },
  ];
}

const isInside = (box, plane) =>
  box.left >= plane.left && box.left + box.wide <= plane.right + RIGHT && box.top >= TOP - 12 && box.top + box.tall <= plane.height - BOTTOM;

const overlap = (a, b) =>
  a.left < b.left + b.wide && b.left < a.left + a.wide && a.top < b.top + b.tall && b.top < a.top + a.tall;

/* What the signs stand for. */
function Key({ names, joined }) {
  return html`<ul class="plot-key small" aria-label=${t("p_key")}>
    ${names.map(
      (name, place) => html`<li>
        <svg class=${`drawing plot-point ${colourOf(place)}`} viewBox=${joined ? "-16 -8 32 16" : "-8 -8 16 16"} width=${joined ? 32 : 16} height="16" aria-hidden="true">
          ${joined && html`<path class="curve" stroke-dasharray=${dashOf(place)} d="M-16 0h32" />`}
          <path class="plot-sign" d=${shapeOf(place)} />
        </svg>
        <span>${name}</span>
      </li>`,
    )}
  </ul>`;
}
