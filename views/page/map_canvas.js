/* A map of communities on a canvas: circles, lines and dots, and names where there is room. */

import { around, beside, corner, cut, isFree, letters, widthOf, wrapped, write, writeIn } from "./canvas_text.js";

export const DOT = 3.5; // the radius of an entity
const TITLE = 12.5; // pixels on the screen, as are all that follow
const NAME = 11;
const LINE = 15;
const ROOMY = 190; // of a circle whose title stands at its top
const READABLE = 26; // of a circle that has room for its title
const WIDEST = 130; // of an entity's name
const POSTER = 1600;
const SHARP = 2; // times that a poster is enlarged
const FEW = 1000; // entities that titles keep clear of
const TOGETHER = 300; // lines of one path: long paths are slow

/* Draws a scene as a view {x, y, zoom} of {width, height} pixels has it.

   `chosen` is the id of the circle that is marked. Where it `isMoving`, lines and the entities'
   names are left out, or the `poster` stands for all but names where that is sharp enough. */
export function draw(context, scene, view, ink, { chosen, isMoving, poster }) {
  const ratio = context.canvas.width / view.width;
  const pen = { context, view, ink };
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, view.width, view.height);
  if (isMoving && poster && view.zoom * ratio < SHARP * poster.zoom) paste(pen, poster);
  else shapes(pen, scene, !isMoving);
  ring(pen, scene.known.get(chosen));
  names(pen, scene, isMoving);
}

/* A picture of all of a scene but its names, to be moved as one. */
export function posterOf(scene, ink) {
  const reach = Math.max(...scene.circles.map((one) => Math.max(Math.abs(one.x), Math.abs(one.y)) + one.r));
  const view = { x: POSTER / 2, y: POSTER / 2, zoom: POSTER / (2 * reach), width: POSTER, height: POSTER };
  const canvas = new OffscreenCanvas(POSTER, POSTER);
  shapes({ context: canvas.getContext("2d"), view, ink }, scene, true);
  return { canvas, reach, zoom: view.zoom };
}

function paste({ context, view }, { canvas, reach }) {
  const side = 2 * reach * view.zoom;
  context.drawImage(canvas, across(view, -reach), down(view, -reach), side, side);
}

function shapes(pen, scene, withLines) {
  circles(pen, scene);
  if (withLines) {
    lines(pen, scene.dots, scene.inside, 0.45);
    lines(pen, scene.dots, scene.across, 0.14);
  }
  dots(pen, scene);
}

/* Where a point of the map is on the screen. */
const across = (view, x) => x * view.zoom + view.x;
const down = (view, y) => y * view.zoom + view.y;

function isSeen(view, { x, y }, reach) {
  const [left, top] = [across(view, x), down(view, y)];
  return left > -reach && top > -reach && left < view.width + reach && top < view.height + reach;
}

function circles({ context, view, ink }, scene) {
  for (const one of scene.circles) {
    const radius = one.r * view.zoom;
    if (radius < 1 || !isSeen(view, one, radius)) continue;
    context.beginPath();
    context.arc(across(view, one.x), down(view, one.y), radius, 0, 2 * Math.PI);
    context.fillStyle = ink.kinds[one.colour];
    context.globalAlpha = 0.09;
    context.fill();
    context.strokeStyle = ink.kinds[one.colour];
    context.lineWidth = 1.2;
    context.globalAlpha = 0.6;
    context.stroke();
  }
  context.globalAlpha = 1;
}

/* Marks a circle. */
function ring({ context, view, ink }, one) {
  if (!one) return;
  context.beginPath();
  context.arc(across(view, one.x), down(view, one.y), one.r * view.zoom, 0, 2 * Math.PI);
  context.strokeStyle = ink.accent;
  context.lineWidth = 3;
  context.stroke();
}

function lines({ context, view, ink }, dots, edges, alpha) {
  context.globalAlpha = alpha;
  context.strokeStyle = ink.line;
  context.lineWidth = Math.min(1.5, Math.max(0.5, 0.7 * view.zoom));
  let waiting = 0;
  context.beginPath();
  for (const [from, to] of edges) {
    if (isBeside(view, dots[from], dots[to])) continue;
    line(context, view, dots[from], dots[to]);
    if (++waiting % TOGETHER === 0) {
      context.stroke();
      context.beginPath();
    }
  }
  context.stroke();
  context.globalAlpha = 1;
}

function line(context, view, a, b) {
  context.moveTo(across(view, a.x), down(view, a.y));
  context.lineTo(across(view, b.x), down(view, b.y));
}

/* Whether two points lie on the same side of the view. */
function isBeside(view, a, b) {
  const [left, right] = a.x < b.x ? [a.x, b.x] : [b.x, a.x];
  const [top, bottom] = a.y < b.y ? [a.y, b.y] : [b.y, a.y];
  const isAside = across(view, right) < 0 || across(view, left) > view.width;
  return isAside || down(view, bottom) < 0 || down(view, top) > view.height;
}

function dots({ context, view, ink }, scene) {
  const radius = Math.max(DOT * view.zoom, 0.8);
  const isSquare = radius < 1.6;
  scene.byColour.forEach((some, colour) => {
    context.fillStyle = ink.kinds[colour];
    for (const one of some) {
      const [x, y] = [across(view, one.x), down(view, one.y)];
      if (x < -radius || y < -radius || x > view.width + radius || y > view.height + radius) continue;
      if (isSquare) context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
      else disc(context, x, y, radius);
    }
  });
}

function disc(context, x, y, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

/* Names, none over another: of circles, and of entities where one comes close. */
function names({ context, view, ink }, scene, isMoving) {
  const taken = [corner(view)];
  const room = Math.min(view.width, view.height) * 0.8;
  const seen = scene.dots.length > FEW ? [] : scene.dots.map((one) => [across(view, one.x), down(view, one.y)]);
  const large = scene.circles.filter((one) => one.r * view.zoom >= READABLE);
  letters(context, ink, TITLE, 600);
  for (const one of large) {
    const radius = one.r * view.zoom;
    if (radius > room || !one.label || !isSeen(view, one, radius)) continue;
    titled({ context, view }, taken, one, seen, large);
  }
  if (isMoving || view.zoom < 1) return;
  letters(context, ink, NAME, 400);
  const reach = DOT * view.zoom;
  taken.push(...beside(view), ...seen.map(([x, y]) => [x - reach, y - reach, x + reach, y + reach]));
  for (const one of scene.dots) {
    if (!isSeen(view, one, 0)) continue;
    const [x, y] = [across(view, one.x), down(view, one.y)];
    const ways = around(context, [cut(context, one.label, WIDEST)], x, y, reach, NAME);
    const [left, , right] = ways[0].box; // a corner is taken at the edge alone: inside it may be another dot's
    const free = ways.slice(0, left < 0 || right > view.width ? ways.length : 4).find(({ box }) => isFree(taken, box));
    if (free) writeIn(context, free, NAME);
  }
}

/* Writes a title within a circle, in as many lines as it has room for: in its middle, or at its top
   where there is much to see in it; where entities stand there, where it hides the fewest of those
   that are `seen`: at its top or bottom, above or below it; not beyond the view, nor by another of the
   `large` circles, of which it would seem to be the title. */
function titled({ context, view }, taken, circle, seen, large) {
  const [x, y, radius] = [across(view, circle.x), down(view, circle.y), circle.r * view.zoom];
  const { label } = circle;
  const most = Math.max(1, Math.min(4, Math.floor((1.1 * radius) / LINE)));
  const all = wrapped(context, label, 1.6 * radius);
  const lines = all.slice(0, most);
  if (all.length > most) lines[most - 1] = cut(context, `${lines[most - 1].replace(/,$/, "")} …`, 1.7 * radius);
  const high = (lines.length - 1) * LINE;
  const top = radius > ROOMY ? y - 0.82 * radius : y - high / 2;
  const inner = [0.7, 0.4].flatMap((share) => [y - share * radius, y + share * radius - high]);
  const tops = [top, ...inner, y - radius - high - 6, y + radius + LINE];
  const places = tops.map((place) => place + TITLE / 3);
  const reach = DOT * Math.max(1, view.zoom);
  const half = Math.max(...lines.map((line) => widthOf(context, line))) / 2 + reach;
  const hidden = places.map((place) => {
    const [above, below] = [place - TITLE - reach, place + high + TITLE / 3 + reach];
    return seen.filter(([a, b]) => Math.abs(a - x) < half && above < b && b < below).length;
  });
  const isBeyond = (place) => place < TITLE || place + high > view.height;
  const isAmiss = (place) => isBeyond(place) || isByAnother(circle, large, (place + high / 2 - view.y) / view.zoom, half / view.zoom, LINE / view.zoom);
  const fits = (at) => !isAmiss(places[at]);
  const order = [...places.keys()].filter(fits).sort((a, b) => hidden[a] - hidden[b]);
  order.some((at) => put(context, taken, lines, x, places[at], TITLE));
}

/* Whether a title at a height outside of its circle, reaching as far as `half` to each side, is near
   another one that does not hold it. */
function isByAnother(circle, large, y, half, near) {
  const holds = (one) => Math.hypot(one.x - circle.x, one.y - circle.y) + circle.r <= one.r + 1;
  const apart = (one) => Math.hypot(Math.max(0, Math.abs(one.x - circle.x) - half), one.y - y);
  return Math.abs(y - circle.y) > circle.r && large.some((one) => !holds(one) && apart(one) < one.r + near);
}

/* Writes lines above points of theirs, where nothing is written yet; tells whether it has. */
function put(context, taken, lines, x, y, size) {
  const half = Math.max(...lines.map((line) => widthOf(context, line))) / 2 + 2;
  const isWritten = isFree(taken, [x - half, y - size, x + half, y + size / 3 + (lines.length - 1) * LINE]);
  if (isWritten) lines.forEach((line, at) => write(context, line, x, y + at * LINE));
  return isWritten;
}
