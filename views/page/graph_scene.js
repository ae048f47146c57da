/* A graph as a scene: shapes for kinds of nodes, lines and arrows, names, and what is chosen. */

import { cut, letters, wrapped, write } from "./canvas_text.js";
import { centred, fitting } from "./drawing.js";
import { spread } from "./graph_layout.js";

const NAME = 12.5; // pixels at a zoom of 1, as are all that follow
const LEAST = 8; // of names on the screen
const READABLE = 0.9; // the zoom below which names are hard to read
const [NODE, WIDE, NEAR] = [8, 10, 14]; // half of a node, half of a passage's width, what is meant by a click
const [NAMED, SAID] = [130, 170]; // the widest names of nodes and of edges
const BEND = 50; // between two edges of the same nodes
const ARROW = 8;
const COLOURS = { entity: 0, passage: 1, name: 4 };
const DIRECTED = ["relation", "hop"];

/* The scene of `nodes` {id, kind, label} and `edges` {source, target, kind, label}; `places` keeps
   where the nodes stand from one scene of a walk to the next. */
export function graphScene(nodes, edges, places) {
  const ids = new Set(nodes.map((one) => one.id));
  for (const id of places.keys()) if (!ids.has(id)) places.delete(id);
  const isNew = nodes.some((one) => !places.has(one.id));
  if (isNew) spread(nodes, edges, places);
  const shown = nodes.map((one) => ({ ...one, ...places.get(one.id), r: NODE }));
  const known = new Map(shown.map((one) => [one.id, one]));
  const lines = bent(edges.filter((one) => known.has(one.source) && known.has(one.target)), known);
  return {
    count: shown.length,
    draw: (context, view, ink, { chosen }) => draw({ context, view, ink }, shown, lines, known.get(chosen)),
    standing: (x, y, zoom) => nearest(shown, x, y, Math.max(NEAR, NEAR / zoom))?.id ?? "",
    goal: (id, view, why) => goal(shown, known.get(id), view, why === "scene" ? isNew : why === "all", why),
  };
}

/* All of it in view; of a new scene with many nodes, those around the chosen one at a size to read. */
function goal(nodes, chosen, view, isMoved, why) {
  const all = isMoved && fitting(nodes, view, 40);
  if (!all || why === "all") return all || null;
  const zoom = Math.min(1, Math.max(READABLE, all.zoom));
  const middle = zoom > all.zoom && chosen ? chosen : middleOf(all, view);
  return centred(middle.x, middle.y, zoom, view);
}

const middleOf = ({ x, y, zoom }, { width, height }) => ({ x: (width / 2 - x) / zoom, y: (height / 2 - y) / zoom });

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

function nearest(nodes, x, y, within) {
  let found = null;
  let best = within;
  for (const one of nodes) {
    const away = Math.hypot(one.x - x, one.y - y);
    if (away < best) [found, best] = [one, away];
  }
  return found;
}

function draw(pen, nodes, lines, chosen) {
  const { context, view, ink } = pen;
  const ratio = context.canvas.width / view.width;
  const isNear = (line) => chosen && (line.from === chosen || line.to === chosen);
  const near = lines.filter(isNear);
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, context.canvas.width, context.canvas.height);
  context.setTransform(ratio * view.zoom, 0, 0, ratio * view.zoom, ratio * view.x, ratio * view.y);
  for (const line of lines) if (!isNear(line)) edge(pen, line, ink.line, 0.7);
  for (const line of near) edge(pen, line, ink.accent, 1);
  const isRead = NAME * view.zoom >= LEAST;
  if (isRead) near.forEach((line) => said(pen, line));
  const others = nodes.filter((one) => one !== chosen);
  for (const one of others) shape(pen, one, false);
  if (isRead) others.forEach((one) => named(pen, one, false));
  if (chosen) shape(pen, chosen, true);
  if (chosen && isRead) named(pen, chosen, true);
}

function edge({ context }, { kind, from, to, bend }, colour, alpha) {
  context.globalAlpha = alpha;
  context.strokeStyle = context.fillStyle = colour;
  context.lineWidth = 1.2;
  context.setLineDash(kind === "mention" ? [4, 4] : []);
  context.beginPath();
  if (from === to) context.arc(from.x, from.y - 2 * NODE, NODE, 0, 2 * Math.PI);
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
  const [x, y] = [to.x - (NODE + 2) * Math.cos(angle), to.y - (NODE + 2) * Math.sin(angle)];
  context.beginPath();
  context.moveTo(x, y);
  for (const side of [-0.4, 0.4]) context.lineTo(x - ARROW * Math.cos(angle + side), y - ARROW * Math.sin(angle + side));
  context.fill();
}

/* What an edge says, along its line. */
function said({ context, ink }, { label, from, to, bend }) {
  if (!label || from === to) return;
  const angle = Math.atan2(to.y - from.y, to.x - from.x);
  letters(context, ink, NAME, 400);
  context.save();
  context.translate((from.x + to.x) / 4 + bend.x / 2, (from.y + to.y) / 4 + bend.y / 2);
  context.rotate(Math.abs(angle) > Math.PI / 2 ? angle + Math.PI : angle);
  write(context, cut(context, label, SAID), 0, NAME / 3);
  context.restore();
}

/* Kinds differ in form as well as in colour. */
function shape({ context, ink }, { kind, x, y }, isChosen) {
  context.fillStyle = ink.kinds[COLOURS[kind]];
  context.beginPath();
  if (kind === "passage") context.roundRect(x - WIDE, y - NODE + 0.5, 2 * WIDE, 2 * NODE - 1, 4);
  else if (kind === "entity") context.arc(x, y, NODE, 0, 2 * Math.PI);
  else for (const turn of [0, 1, 2, 3]) context.lineTo(x + NODE * Math.cos((turn * Math.PI) / 2), y + NODE * Math.sin((turn * Math.PI) / 2));
  context.closePath();
  context.fill();
  if (!isChosen) return;
  context.strokeStyle = ink.accent;
  context.lineWidth = 3;
  context.stroke();
}

/* The name of a node, in lines below it. */
function named({ context, ink }, { label, x, y }, isChosen) {
  letters(context, ink, NAME, isChosen ? 600 : 400);
  wrapped(context, label, NAMED).forEach((line, at) => write(context, line, x, y + NODE + 4 + NAME * (0.9 + 1.15 * at)));
}
