/* The figures of plots: how they are written, and the table of all of them. */

import { html } from "../html.js";
import { number, t } from "../words.js";

const FORMS = {
  share: { style: "percent" },
  number: {},
  seconds: { style: "unit", unit: "second", unitDisplay: "short" },
  dollars: { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" },
};
const formOf = (unit) => FORMS[unit] ?? FORMS.number;
const isMeasured = (value) => typeof value === "number";

/* A value as it stands in a drawing, rounded. */
export function said(value, unit) {
  const digits = unit === "share" ? { maximumFractionDigits: 1 } : rounding(value);
  return signed(number(value, { ...formOf(unit), ...digits }));
}

/* A value as it stands at an axis: short, however large. */
export function shortly(value, unit) {
  const digits = { minimumFractionDigits: 0, maximumSignificantDigits: 4 };
  const large = Math.abs(value) >= 10_000 ? { notation: "compact" } : {};
  return signed(number(value, { ...formOf(unit), ...digits, ...large }));
}

/* A value as it stands in the table, hardly rounded. */
export function exactly(value, unit) {
  return number(value, { ...formOf(unit), minimumFractionDigits: 0, maximumSignificantDigits: 6 });
}

const signed = (text) => text.replace("-", "−");

function rounding(value) {
  if (Math.abs(value) >= 100) return { maximumFractionDigits: 0 };
  return { minimumFractionDigits: 0, maximumSignificantDigits: 3 };
}

/* The interval of a bar or a spot as text in a `form` of writing; empty where it has none. */
export function intervalOf({ low, high }, unit, form = said) {
  return isMeasured(low) && isMeasured(high) ? `${form(low, unit)} – ${form(high, unit)}` : "";
}

/* Whether any figure of a plot has an interval. */
export function hasIntervals(plot) {
  return markedOf(plot).some((one) => isMeasured(one.low) && isMeasured(one.high));
}

/* Whether there is nothing to draw. */
export function isBare(plot) {
  if (plot.kind === "matrix") return !plot.values.flat().some(isMeasured);
  return !markedOf(plot).some((one) => isMeasured(one.value ?? one.y));
}

function markedOf(plot) {
  return plot.kind === "matrix" ? [] : Object.values(plot.groups ?? plot.curves).flat();
}

/* All figures of a plot, a row each; of a matrix as they stand. */
export function FiguresTable({ plot }) {
  const { head, rows } = TABLES[plot.kind](plot);
  return html`<table>
    <thead><tr>${head.map((one) => html`<th scope="col">${one}</th>`)}</tr></thead>
    <tbody>
      ${rows.map(
        ([first, ...others]) => html`<tr><th scope="row">${first}</th>${others.map((one) => html`<td>${one}</td>`)}</tr>`,
      )}
    </tbody>
  </table>`;
}

const TABLES = { bars: barsTable, matrix: matrixTable, curves: curvesTable };

function barsTable(plot) {
  const head = [t("p_group"), t("p_name"), t("p_value")];
  const rows = Object.entries(plot.groups).flatMap(([group, bars]) =>
    bars.map((bar) => [group, bar.name, written(bar.value, plot.unit), intervalOf(bar, plot.unit, exactly)]),
  );
  return narrowed(plot, head, rows);
}

function matrixTable({ rows, columns, values, unit }) {
  const told = rows.map((row, y) => [row, ...columns.map((_, x) => written(values[y]?.[x], unit))]);
  return { head: ["", ...columns], rows: told };
}

function curvesTable(plot) {
  const isNamed = Object.values(plot.curves).flat().some((spot) => spot.name);
  const head = [t("p_name"), ...(isNamed ? [t("p_point")] : []), plot.x_label, plot.y_label];
  const rows = Object.entries(plot.curves).flatMap(([name, spots]) =>
    spots.map((spot) => [
      name,
      ...(isNamed ? [spot.name ?? ""] : []),
      written(spot.x, plot.x_unit),
      written(spot.y, plot.y_unit),
      intervalOf(spot, plot.y_unit, exactly),
    ]),
  );
  return narrowed(plot, head, rows);
}

/* A table without its last column, that of intervals, where there are none. */
function narrowed(plot, head, rows) {
  if (hasIntervals(plot)) return { head: [...head, t("p_interval")], rows };
  return { head, rows: rows.map((row) => row.slice(0, -1)) };
}

const written = (value, unit) => (isMeasured(value) ? exactly(value, unit) : t("p_not_measured"));
