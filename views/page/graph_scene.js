/* A graph as a scene: nodes in the colours of their types and in sizes by their edges, and names. */

import { around, beside, BUTTONS, corner, cut, isFree, letters, widthOf, wrapped, write, writeIn } from "./canvas_text.js";
import { fitting } from "./drawing.js";
import { spread } from "./graph_layout.js";

const NAME = 12.5; // pixels on the screen, as are all that follow
const [SMALLEST, LARGEST, GROWS] = [5, 17, 2.4]; // half of a node, and how it grows with its edges
const REACH = 9; // from a node's or an edge's line, what is meant by pointing there
const [NAMED, SAID] = [130, 190]; // the widest names of nodes and of edges
const [NARROW, FURTHER] = [80, 9]; // a name's width, and its way from the node, where there is little room
const EDGE = { across: 70, down: 42 }; // around all of it, for names; less where there is little room
const ROOMY = 620; // the width from which on nodes have their full size
const NEAR = 1.15; // the zoom from which on edges say what they are
const CLOSEST = 1.6; // the zoom of a few nodes
const BEND = 50; // between two edges of the same nodes
const ARROW = 8;
const TYPES = 6; // with a colour of their own; all others share the last one
const DIRECTED = ["relation", "hop"];

/* The types of entities among the nodes, the most frequent first, each with the number of its colour. */
export function typesOf(nodes) {
  const counts = new Map();
  for (const { kind, type } of nodes) if (kind === "entity" && type) counts.set(type, (counts.get(type) ?? 0) + 1);
  const ordered = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return new Map(ordered.map(([type], at) => [type, Math.min(at, TYPES)]));
}

/* The scene of `nodes` {id, kind, label, type} and `edges` {source, target, kind, label}; `places`
   keeps where the nodes stand from one scene of a walk to the next. */
export function graphScene(nodes, edges, places) {
  const ids = new Set(nodes.map((one) => one.id));
  for (const id of places.keys()) if (!ids.has(id)) places.delete(id);
  const isNew = nodes.some((one) => !places.has(one.id));
  if (isNew) spread(nodes, edges, places);
  const types = typesOf(nodes);
  const degrees = degreesOf(edges);
  const shown = nodes.map((one) => {
    const r = Math.min(LARGEST, SMALLEST + GROWS * Math.sqrt(degrees.get(one.id)?.size ?? 0));
    return { ...one, ...places.get(one.id), r, colour: types.get(one.type) ?? (types.size ? TYPES : 0) };
  });
  const known = new Map(shown.map((one) => [one.id, one]));
  const lines = bent(edges.filter((one) => known.has(one.source) && known.has(one.target)), known);
  const standing = (x, y, zoom) => shown.findLast((one) => Math.hypot(one.x - x, one.y - y) * zoom < one.r + REACH / 2);
  shown.sort((a, b) => b.r - a.r);
  return {
    count: shown.length,
    draw: (context, view, ink, { chosen, pointed }) => draw({ context, view, ink }, shown, lines, known.get(chosen), pointed),
    standing: (x, y, zoom) => standing(x, y, zoom)?.id ?? "",
    pointed: (x, y, zoom) => standing(x, y, zoom) ?? lines.find((one) => isOn(one, x, y, REACH / zoom)) ?? null,
    goal: (id, view, why) => (why === "all" || (why === "scene" && isNew) ? whole(shown, view) : null),
  };
}

/* All of it in view, with room for the names at the edges. */
function whole(nodes, { width, height }) {
  const across = Math.min(EDGE.across, width / 9);
  const room = { width: width - 2 * across, height: height - EDGE.down - BUTTONS.down };
  const goal = fitting(nodes.map(({ x, y }) => ({ x, y, r: 1 })), room, 0);
  if (!goal) return null;
  const zoom = Math.min(goal.zoom, CLOSEST);
  const keep = (at, side, edge) => side / 2 + edge + ((at - side / 2) * zoom) / goal.zoom;
  return { zoom, x: keep(goal.x, room.width, across), y: keep(goal.y, room.height, EDGE.down) };
}

function degreesOf(edges) {
  const found = new Map();
  for (const { source, target } of edges) {
    for (const [one, other] of [[source, target], [target, source]]) {
      if (!found.has(one)) found.set(one, new Set());
      found.get(one).add(other);
    }
  }
  return found;
}

/* The edges with their ends and the point that bends them, so that none hides another. */
function bent(edges, known) {
  const together = new Map();
  const key = ({ source, target }) => [source, target].sort().join("\n");
  for (const one of edges) together.set(key(one), [...(together.get(key(one)) ?? []), one]);
  return [...together.values()].flatMap((some) =>
    some.map((one, at) => {
      const [from, to] = [known.get(one.source), known.get(one.target)];
      const away = (at - (some.length - 1) / 2) * BEND * (one.source < one.target ? 1 : -1);
      const length = Math.max(1, Math.hypot(to.x - from.x, to.y - from.y));
      const [x, y] = [(from.x + to.x) / 2, (from.y + to.y) / 2];
      return { ...one, from, to, bend: { x: x - ((to.y - from.y) / length) * away, y: y + ((to.x - from.x) / length) * away } };
    }),
  );
}

/* The point of a line at a share of its way. */
function along({ from, to, bend }, share) {
  const part = (side) => (1 - share) ** 2 * from[side] + 2 * share * (1 - share) * bend[side] + share ** 2 * to[side];
  return { x: part("x"), y: part("y") };
}

function isOn(line, x, y, within) {
  for (let share = 0.1; share < 0.95; share += 0.04) {
    const at = along(line, share);
    if (Math.hypot(at.x - x, at.y - y) < within) return true;
  }
  return false;
}

function draw(pen, nodes, lines, chosen, pointed) {
  const { context, view, ink } = pen;
  const ratio = context.canvas.width / view.width;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, view.width, view.height);
  const screen = ({ x, y }) => ({ x: x * view.zoom + view.x, y: y * view.zoom + view.y });
  const size = Math.min(1, Math.max(0.6, view.width / ROOMY));
  const stands = new Map(nodes.map((one) => [one.id, { ...one, ...screen(one), r: one.r * size }]));
  const placed = lines.map((one) => ({ ...one, from: stands.get(one.source), to: stands.get(one.target), bend: screen(one.bend), line: one }));
  const meant = [chosen?.id, pointed?.id];
  const isNear = ({ source, target, line }) => line === pointed || meant.includes(source) || meant.includes(target);
  for (const one of placed) if (!isNear(one)) edge(pen, one, ink.line, 0.55);
  const near = placed.filter(isNear);
  for (const one of near) edge(pen, one, ink.accent, 1);
  for (const one of stands.values()) shape(pen, one, meant.includes(one.id));
  const taken = [...stands.values()].map(({ x, y, r }) => [x - r, y - r, x + r, y + r]);
  taken.push(corner(view), ...beside(view));
  const first = [...stands.values()].sort((a, b) => meant.includes(b.id) - meant.includes(a.id));
  first.forEach((one) => named(pen, one, meant.includes(one.id), taken));
  for (const one of view.zoom >= NEAR ? [...near, ...placed] : near) said(pen, one, taken, one.line === pointed);
}

function edge({ context }, { kind, from, to, bend }, colour, alpha) {
  context.globalAlpha = alpha;
  context.strokeStyle = context.fillStyle = colour;
  context.lineWidth = 1.2;
  context.setLineDash(kind === "mention" ? [4, 4] : []);
  context.beginPath();
  if (from === to) context.arc(from.x, from.y - 2 * from.r, from.r, 0, 2 * Math.PI);
  else {
    context.moveTo(from.x, from.y);
    context.quadraticCurveTo(bend.x, bend.y, to.x, to.y);
  }
  context.stroke();
  context.setLineDash([]);
  if (DIRECTED.includes(kind) && from !== to) arrow(context, bend, to);
  context.globalAlpha = 1;
}

function arrow(context, from, to) {
  const angle = Math.atan2(to.y - from.y, to.x - from.x);
  const [x, y] = [to.x - (to.r + 2) * Math.cos(angle), to.y - (to.r + 2) * Math.sin(angle)];
  context.beginPath();
  context.moveTo(x, y);
  for (const side of [-0.4, 0.4]) context.lineTo(x - ARROW * Math.cos(angle + side), y - ARROW * Math.sin(angle + side));
  context.fill();
}

/* What an edge says, in the middle of its line, where there is room or it is pointed at. */
function said({ context, ink }, line, taken, isPointed) {
  if (!line.label || line.from === line.to) return;
  letters(context, ink, NAME - 1, isPointed ? 600 : 400);
  const text = cut(context, line.label, isPointed ? 2 * SAID : SAID);
  const { x, y } = along(line, 0.5);
  const half = widthOf(context, text) / 2;
  if (!isPointed && !isFree(taken, [x - half, y - NAME, x + half, y + NAME / 3])) return;
  context.fillStyle = ink.accent;
  write(context, text, x, y);
}

/* Kinds differ in form, types of entities in colour. */
function shape({ context, ink }, { kind, x, y, r, colour }, isMeant) {
  context.fillStyle = kind === "entity" ? ink.kinds[colour] : kind === "name" ? ink.kinds[0] : ink.surface;
  context.strokeStyle = isMeant ? ink.accent : kind === "passage" ? ink.ink : ink.surface;
  context.lineWidth = isMeant ? 3 : 1.5;
  context.beginPath();
  if (kind === "passage") context.roundRect(x - 1.2 * r, y - r, 2.4 * r, 2 * r, 3);
  else if (kind === "entity") context.arc(x, y, r, 0, 2 * Math.PI);
  else for (const turn of [0, 1, 2, 3]) context.lineTo(x + r * Math.cos((turn * Math.PI) / 2), y + r * Math.sin((turn * Math.PI) / 2));
  context.closePath();
  context.fill();
  context.stroke();
}

/* The name of a node, in lines about it, where there is room or it is meant. */
function named({ context, ink }, { label, kind, x, y, r }, isMeant, taken) {
  letters(context, ink, NAME, isMeant ? 650 : 450);
  const most = isMeant ? 6 : kind === "passage" ? 1 : 2;
  const tried = [[NAMED, r], [NARROW, r], [NARROW, r + FURTHER]];
  const ways = tried.flatMap(([widest, away]) => around(context, wrapped(context, label, widest).slice(0, most), x, y, away, NAME));
  const free = ways.find(({ box }) => isFree(taken, box));
  if (!free && !isMeant) return;
  writeIn(context, free ?? ways[0], NAME);
}
