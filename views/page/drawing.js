/* A drawing to be moved and zoomed: a scene on a canvas, of which a part is in view. */

import { html, useEffect, useRef } from "./html.js";
import { movedBy, movedByKeys, pointing } from "./map_moves.js";
import { colour, onTheme } from "./theme.js";
import { t } from "./words.js";
import { ZoomButtons } from "./zoom_buttons.js";

const KINDS = 7;
const REST = 140; // milliseconds without a move after which all is drawn
const WAY = 260; // milliseconds of the way to another place
const [FURTHEST, NEAREST] = [0.01, 6];
const QUICK = matchMedia("(prefers-reduced-motion: reduce)");

/* Draws a `scene`, in which `chosen` is marked. `onChoose(id)` is called by a click, and
   with "" by Escape. `label` says what is drawn; the list beside it, which the caller makes, is for
   those who cannot see.

   A scene has `draw(context, view, ink, {chosen, pointed, isMoving, poster})`; `standing(x, y, zoom)`, the id
   of what is there; perhaps `pointed(x, y, zoom)`, what is drawn otherwise while a mouse is there; `goal(id, view, why)`, the view in which an id is shown, all where it is "", or
   null where the view stays, and `why` is scene, choice or all; the `count` of what it draws; and
   where it `isLarge`, `poster(ink)`, a picture that `draw` may show while it moves. */
export function DrawingView({ scene, chosen, onChoose, label }) {
  const box = useRef();
  const drawing = useRef();
  const choose = useRef();
  choose.current = onChoose;
  useEffect(() => {
    drawing.current = new Drawing(box.current, (id) => choose.current?.(id));
    return () => drawing.current.end();
  }, []);
  useEffect(() => drawing.current.show(scene, chosen), [scene, chosen]);
  return html`<div class="graph" data-part="graph">
    <div class="graph-canvas" role="application" tabindex="0" aria-label=${label} aria-description=${t("g_keys")} ref=${box}><canvas></canvas></div>
    <${ZoomButtons} zoom=${(by) => drawing.current.zoom(by)} all=${() => drawing.current.look("", "all")} />
  </div>`;
}

/* The view in which circles fill a canvas, with an edge around them. */
export function fitting(circles, { width, height }, edge) {
  if (!circles.length || !width || !height) return null;
  const reach = (side, sign) => Math.max(...circles.map((one) => sign * one[side] + one.r));
  const [left, right, top, bottom] = [-reach("x", -1), reach("x", 1), -reach("y", -1), reach("y", 1)];
  const room = Math.min((width - 2 * edge) / (right - left), (height - 2 * edge) / (bottom - top));
  return centred((left + right) / 2, (top + bottom) / 2, within(room), { width, height });
}

/* The view at a zoom that has a point in its middle. */
export function centred(x, y, zoom, { width, height }) {
  return { zoom, x: width / 2 - zoom * x, y: height / 2 - zoom * y };
}

const within = (zoom) => Math.min(NEAREST, Math.max(FURTHEST, zoom));

/* The colours and letters of today. */
function inkOf() {
  return {
    ink: colour("--ink"),
    surface: colour("--surface"),
    line: colour("--strong-line"),
    accent: colour("--accent"),
    kinds: Array.from({ length: KINDS }, (_, at) => colour(`--kind-${at + 1}`)),
    font: getComputedStyle(document.body).fontFamily,
  };
}

/* A drawing in an element that holds a canvas. */
class Drawing {
  constructor(box, choose) {
    this.box = box;
    this.canvas = box.querySelector("canvas");
    this.context = this.canvas.getContext("2d");
    this.view = { x: 0, y: 0, zoom: 1, width: 0, height: 0 };
    this.ink = inkOf();
    const watched = new ResizeObserver(() => this.resize());
    watched.observe(box);
    const pan = (dx, dy) => this.place({ x: this.view.x + dx, y: this.view.y + dy });
    const zoom = (by, x, y) => this.zoom(by, x, y);
    this.ends = [
      () => watched.disconnect(),
      onTheme(() => {
        this.ink = inkOf();
        this.poster = null;
        this.ask();
      }),
      movedBy(this.canvas, { pan, zoom, click: (x, y) => this.click(x, y, choose) }),
      pointing(this.canvas, (x, y) => this.point(x, y)),
      movedByKeys(box, { pan, zoom, all: () => this.look("", "all"), leave: () => choose("") }),
    ];
  }

  /* Ends the drawing. */
  end() {
    cancelAnimationFrame(this.asked);
    cancelAnimationFrame(this.going);
    clearTimeout(this.resting);
    this.ends.forEach((end) => end());
  }

  /* Draws another scene, or another choice in it. */
  show(scene, chosen) {
    const isNew = scene !== this.scene;
    if (isNew) this.poster = null;
    this.scene = scene;
    this.pointed = null;
    this.chosen = chosen;
    this.look(chosen, isNew ? "scene" : "choice");
    this.ask();
  }

  /* Brings what is chosen, or everything, into view. */
  look(id, why) {
    this.focus = id;
    const goal = this.scene.goal(id, this.view, why);
    if (!goal) return;
    const isFirst = !this.isPlaced;
    this.isPlaced = true;
    if (isFirst || QUICK.matches) this.place(goal, true);
    else this.go(goal);
  }

  /* Zooms around a point of the screen, else its middle. */
  zoom(by, x = this.view.width / 2, y = this.view.height / 2) {
    const zoom = within(this.view.zoom * by);
    const share = zoom / this.view.zoom;
    this.place({ zoom, x: x - (x - this.view.x) * share, y: y - (y - this.view.y) * share });
  }

  click(x, y, choose) {
    const { view } = this;
    const id = this.scene.standing((x - view.x) / view.zoom, (y - view.y) / view.zoom, view.zoom);
    if (id) choose(id);
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.box;
    const ratio = devicePixelRatio;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const before = this.view;
    const [x, y] = [before.x + (width - before.width) / 2, before.y + (height - before.height) / 2];
    this.view = { ...before, x, y, width, height };
    if (this.scene && !this.isPlaced) this.look(this.focus, "scene");
    if (this.scene && width && height) this.paint(false);
  }

  /* Moves to another view step by step. */
  go(goal) {
    cancelAnimationFrame(this.going);
    const from = this.view;
    const begun = performance.now();
    const step = (now) => {
      const done = Math.min(1, Math.max(0, (now - begun) / WAY));
      const share = 1 - (1 - done) ** 3;
      const between = (name) => from[name] + (goal[name] - from[name]) * share;
      this.put({ zoom: between("zoom"), x: between("x"), y: between("y") });
      if (done < 1) this.going = requestAnimationFrame(step);
    };
    this.going = requestAnimationFrame(step);
  }

  /* Takes a view at once, in the place of the way to another. */
  place(view, isStill = false) {
    cancelAnimationFrame(this.going);
    this.put(view, isStill);
  }

  put(view, isStill = false) {
    this.view = { ...this.view, ...view };
    this.ask(!isStill);
  }

  /* Shows what a mouse points at. */
  point(x, y) {
    const { zoom, x: left, y: top } = this.view;
    const pointed = this.scene?.pointed?.((x - left) / zoom, (y - top) / zoom, zoom) ?? null;
    if (pointed === (this.pointed ?? null)) return;
    this.pointed = pointed;
    this.canvas.style.cursor = pointed?.id && !pointed.source ? "pointer" : "";
    this.ask();
  }

  /* Draws with the next frame; where much moves, all of it when it rests. */
  ask(isMoving = false) {
    const isRough = isMoving && this.scene?.isLarge;
    clearTimeout(this.resting);
    if (isRough) this.resting = setTimeout(() => this.ask(), REST);
    cancelAnimationFrame(this.asked);
    this.asked = requestAnimationFrame(() => this.paint(isRough));
  }

  paint(isMoving) {
    if (!this.view.width || !this.scene) return;
    const { chosen, poster, scene } = this;
    scene.draw(this.context, this.view, this.ink, { chosen, pointed: this.pointed, isMoving, poster });
    if (!isMoving && !poster && scene.isLarge) this.resting = setTimeout(() => this.prepare(), REST);
    this.box.dataset.drawn = isMoving ? "moving" : scene.count;
  }

  /* Makes what is shown while the drawing moves. */
  prepare() {
    this.poster = this.scene.poster(this.ink);
  }
}
