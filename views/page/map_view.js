/* The map of communities, to be moved and zoomed: thousands of dots, so on a canvas of its own. */

import { html, useEffect, useRef } from "./html.js";
import { draw, inkOf, posterOf } from "./map_canvas.js";
import { movedBy } from "./map_moves.js";
import { standing } from "./map_scene.js";
import { onTheme } from "./theme.js";
import { ZoomButtons } from "./zoom_buttons.js";

const MANY = 1500; // lines and dots that are not all drawn while they move
const REST = 140; // milliseconds without a move after which all is drawn
const WAY = 260; // milliseconds of the way to another place
const PADDING = 24;
const [FURTHEST, NEAREST] = [0.01, 6];
const QUICK = matchMedia("(prefers-reduced-motion: reduce)");

/* Draws a `scene`; the circle that is `chosen` is marked and zoomed to, all where none is.
   `onChoose(id)` is called by a click. `label` says what is drawn; the list beside it, which
   the caller makes, is for those who cannot see or point. */
export function MapView({ scene, chosen, onChoose, label }) {
  const box = useRef();
  const map = useRef();
  const choose = useRef();
  choose.current = onChoose;
  useEffect(() => {
    map.current = new MapDrawing(box.current, (id) => choose.current?.(id));
    return () => map.current.end();
  }, []);
  useEffect(() => map.current.show(scene, chosen), [scene, chosen]);
  return html`<div class="graph" data-part="graph">
    <div class="graph-canvas" role="img" aria-label=${label} ref=${box}><canvas></canvas></div>
    <${ZoomButtons} zoom=${(by) => map.current.zoom(by)} all=${() => map.current.look("")} />
  </div>`;
}

/* A drawing in an element that holds a canvas, and the part of it that is in view. */
class MapDrawing {
  constructor(box, choose) {
    this.box = box;
    this.canvas = box.querySelector("canvas");
    this.context = this.canvas.getContext("2d");
    this.view = { x: 0, y: 0, zoom: 1, width: 0, height: 0 };
    this.ink = inkOf();
    const watched = new ResizeObserver(() => this.resize());
    watched.observe(box);
    this.ends = [
      () => watched.disconnect(),
      onTheme(() => {
        this.ink = inkOf();
        this.poster = null;
        this.ask();
      }),
      movedBy(this.canvas, {
        pan: (dx, dy) => this.place({ x: this.view.x + dx, y: this.view.y + dy }),
        zoom: (by, x, y) => this.zoom(by, x, y),
        click: (x, y) => this.click(x, y, choose),
      }),
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
    if (scene !== this.scene) this.poster = null;
    this.scene = scene;
    this.chosen = chosen;
    this.look(chosen);
    this.ask();
  }

  /* Brings a circle, or everything, into view. */
  look(id) {
    this.focus = id;
    const one = this.scene.known.get(id);
    const goal = this.fitting(one ? [one] : this.scene.circles);
    if (!goal) return;
    const isFirst = !this.isPlaced;
    this.isPlaced = true;
    if (isFirst || QUICK.matches) this.place(goal, true);
    else this.go(goal);
  }

  /* Zooms around a point of the screen, else its middle. */
  zoom(by, x = this.view.width / 2, y = this.view.height / 2) {
    const zoom = Math.min(NEAREST, Math.max(FURTHEST, this.view.zoom * by));
    const share = zoom / this.view.zoom;
    this.place({ zoom, x: x - (x - this.view.x) * share, y: y - (y - this.view.y) * share });
  }

  click(x, y, choose) {
    const { view } = this;
    const id = standing(this.scene, (x - view.x) / view.zoom, (y - view.y) / view.zoom, view.zoom);
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
    if (this.scene && !this.isPlaced) this.look(this.focus);
    if (this.scene && width && height) this.paint(false);
  }

  /* The view in which circles fill the canvas. */
  fitting(circles) {
    const { width, height } = this.view;
    if (!circles.length || !width || !height) return null;
    const edge = (side, sign) => Math.max(...circles.map((one) => sign * one[side] + one.r));
    const [left, right, top, bottom] = [-edge("x", -1), edge("x", 1), -edge("y", -1), edge("y", 1)];
    const room = Math.min((width - 2 * PADDING) / (right - left), (height - 2 * PADDING) / (bottom - top));
    const zoom = Math.min(NEAREST, Math.max(FURTHEST, room));
    return { zoom, x: width / 2 - (zoom * (left + right)) / 2, y: height / 2 - (zoom * (top + bottom)) / 2 };
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

  /* Draws with the next frame; where much moves, all of it when it rests. */
  ask(isMoving = false) {
    const isRough = isMoving && this.isLarge();
    clearTimeout(this.resting);
    if (isRough) this.resting = setTimeout(() => this.ask(), REST);
    cancelAnimationFrame(this.asked);
    this.asked = requestAnimationFrame(() => this.paint(isRough));
  }

  paint(isRough) {
    if (!this.view.width) return;
    const { chosen, poster } = this;
    draw(this.context, this.scene, this.view, this.ink, { chosen, isMoving: isRough, poster });
    if (!isRough && !poster && this.isLarge()) this.resting = setTimeout(() => this.prepare(), REST);
    this.box.dataset.drawn = isRough ? "moving" : this.scene.dots.length;
  }

  isLarge() {
    const { dots, inside, across } = this.scene;
    return dots.length + inside.length + across.length > MANY;
  }

  /* Makes what is shown while the map moves. */
  prepare() {
    this.poster = posterOf(this.scene, this.ink);
  }
}
