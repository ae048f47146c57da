/* What a map of communities draws: circles, dots and lines, and which of them stands at a point. */

import { fitting } from "./drawing.js";
import { DOT, draw, posterOf } from "./map_canvas.js";

const KINDS = 7;
const MANY = 1500; // lines and dots that are not all drawn while they move
const EDGE = 24;
const CELL = 48; // a square of the grid in which dots are looked for
const NEAR = 8; // pixels from a dot within which it is meant
const MEANT = 12; // pixels of a circle that can be meant

/* The scene of a map as the server sends it; a root gives its colour to all that is in it. */
export function sceneOf({ communities, entities, edges }) {
  const known = new Map(communities.map((one) => [one.id, one]));
  const roots = communities.filter((one) => !known.has(one.parent));
  const colours = new Map(roots.map((one, at) => [one.id, at % KINDS]));
  const colourOf = (id) => colours.get(id) ?? colourOf(known.get(id).parent);
  const full = new Set(communities.map((one) => one.parent));
  for (const [, , , , at] of entities) full.add(communities[at]?.id);
  const circles = communities.map((one) => ({
    ...one,
    colour: colourOf(one.id),
    isBare: !full.has(one.id),
    label: one.entities > 1 ? (full.has(one.id) ? one.title : `${one.title} · ${one.entities}`) : "",
  }));
  const dots = entities.map(([id, label, x, y, at]) => ({ id, label, x, y, at, colour: circles[at]?.colour ?? 0 }));
  const scene = {
    circles: circles.sort((a, b) => a.level - b.level || b.r - a.r),
    dots,
    byColour: Array.from({ length: KINDS }, (_, colour) => dots.filter((one) => one.colour === colour)),
    inside: edges.filter(([a, b]) => dots[a].at === dots[b].at),
    across: edges.filter(([a, b]) => dots[a].at !== dots[b].at),
    grid: gridOf(dots),
    known: new Map(circles.map((one) => [one.id, one])),
  };
  return {
    ...scene,
    count: dots.length,
    isLarge: dots.length + edges.length > MANY,
    draw: (context, view, ink, how) => draw(context, scene, view, ink, how),
    poster: (ink) => posterOf(scene, ink),
    standing: (x, y, zoom) => standing(scene, x, y, zoom),
    goal: (id, view) => fitting(scene.known.has(id) ? [scene.known.get(id)] : scene.circles, view, EDGE),
  };
}

function gridOf(dots) {
  const grid = new Map();
  for (const one of dots) {
    const key = cell(one.x, one.y);
    grid.has(key) ? grid.get(key).push(one) : grid.set(key, [one]);
  }
  return grid;
}

const cell = (x, y) => `${Math.floor(x / CELL)} ${Math.floor(y / CELL)}`;

/* The id of the dot or the smallest circle at a point, of those that are large enough at a zoom. */
function standing(scene, x, y, zoom) {
  const dot = DOT * zoom > 1.5 ? nearest(scene.grid, x, y, Math.min(NEAR / zoom, CELL)) : null;
  if (dot) return dot.id;
  const around = scene.circles.filter((one) => Math.hypot(one.x - x, one.y - y) < one.r);
  return (around.findLast((one) => one.r * zoom > MEANT) ?? around[0])?.id ?? "";
}

function nearest(grid, x, y, within) {
  let found = null;
  let best = within;
  for (const across of [-CELL, 0, CELL])
    for (const down of [-CELL, 0, CELL])
      for (const one of grid.get(cell(x + across, y + down)) ?? []) {
        const away = Math.hypot(one.x - x, one.y - y);
        if (away < best) [found, best] = [one, away];
      }
  return found;
}
