/* Scales: from values to places in a drawing, with the values that stand at the axis. */

const WIDE = 30; // from this ratio of the largest to the smallest on, a scale is logarithmic

/* Whether values are so far apart that only a logarithm shows all of them. */
export const isWide = (values) => Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) >= WIDE;

/* A scale of equal steps over values whose labels, so wide, leave room for each other. */
export function roomyScale(values, range, unit, widthOfTick) {
  let scale;
  for (let count = 6; count > 0; count -= 1) {
    scale = evenScale(values, range, count, unit);
    if (readable(scale.ticks, scale.at, widthOfTick).length === scale.ticks.length) break;
  }
  return scale;
}

/* A scale of equal steps over values, from place `from` to place `to`, with about `count` ticks.
   It begins at zero, unless `isFree` and all values are far from it. */
export function evenScale(values, [from, to], count, unit, isFree = false) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const isFar = isFree && least > most / 2;
  const lowest = isFar ? least : Math.min(0, least);
  const highest = Math.max(isFar ? most : 0, most);
  const step = niceStep((highest - lowest || Math.abs(highest) || 1) / count);
  const low = Math.floor(rounded(lowest / step)) * step;
  const end = Math.ceil(rounded(highest / step)) * step || step;
  const high = unit === "share" && highest <= 1 ? Math.min(end, 1) : end === low ? low + step : end;
  const ticks = [];
  for (let n = 0; low + n * step <= high + step / 1000; n += 1) ticks.push(rounded(low + n * step));
  return { at: (value) => from + ((value - low) / (high - low || 1)) * (to - from), ticks };
}

/* A logarithmic scale over values above zero. */
export function logScale(values, [from, to], count) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const steps = [];
  for (let power = Math.floor(Math.log10(least)); power <= Math.ceil(Math.log10(most)); power += 1) {
    for (const digit of [1, 2, 5]) steps.push(rounded(digit * 10 ** power));
  }
  const low = steps.findLast((one) => one <= least) ?? least;
  const high = steps.find((one) => one >= most) ?? most;
  const within = steps.filter((one) => one >= low && one <= high);
  const tens = within.filter((one) => Number.isInteger(rounded(Math.log10(one))));
  const span = Math.log(high / low) || 1;
  return {
    at: (value) => from + (Math.log(value / low) / span) * (to - from),
    ticks: within.length > count && tens.length > 1 ? tens : within,
  };
}

/* The ticks whose labels, so wide, leave room for each other; `places` are theirs, in order. */
export function readable(ticks, at, widthOfTick) {
  const kept = [];
  let end = -Infinity;
  for (const tick of ticks) {
    const half = widthOfTick(tick) / 2;
    if (at(tick) - half < end) continue;
    kept.push(tick);
    end = at(tick) + half + 8;
  }
  return kept;
}

/* The least of 1, 2, 5, 10, 20, ... that is no smaller. */
function niceStep(step) {
  const power = 10 ** Math.floor(Math.log10(step));
  return [1, 2, 5, 10].map((digit) => digit * power).find((one) => one >= rounded(step)) ?? step;
}

const rounded = (value) => Number(value.toPrecision(12));
