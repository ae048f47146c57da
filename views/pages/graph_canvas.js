"use strict";

const LABELS = 70;
const CROWD = 150;
const ARROWS_UP_TO = 400;
const HAIRLINES_FROM = 2000; // one device pixel is drawn ten times faster than a wider line

/** Draws nodes and edges on a canvas; the view is moved by pointer, wheel, touch and keys. */
class Drawing {
  constructor(canvas, nodes, edges, directed) {
    Object.assign(this, { canvas, nodes, edges, directed });
    this.base = document.createElement("canvas");
    this.selected = this.hovered = null;
    this.matches = new Set();
    this.path = { nodes: [], edges: [], all: null };
    this.group = null;
    this.hidden = new Set();
    this.view = { x: 0, y: 0, zoom: 1 };
    this.whole = true;
    this.byDegree = [...nodes].sort((a, b) => b.edges.length - a.edges.length);
    this.strongest = edges.reduce((most, edge) => Math.max(most, edge.weight), 1e-9);
    this.readColours();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.readColours());
    new ResizeObserver(() => this.resize()).observe(canvas);
  }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    const names = ["surface", "ink", "edge", "focus", "path", "on-path", "match"];
    this.colours = Object.fromEntries(names.map((n) => [n, style.getPropertyValue(`--${n}`)]));
    this.kinds = [0, 1, 2, 3, 4, 5].map((n) => style.getPropertyValue(`--kind-${n}`));
    this.font = getComputedStyle(document.body).fontFamily;
    this.redraw();
  }

  resize() {
    const { width, height } = this.canvas.getBoundingClientRect();
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    if (width === this.width && height === this.height && ratio === this.ratio) return;
    Object.assign(this, { width, height, ratio });
    for (const canvas of [this.canvas, this.base]) {
      canvas.width = Math.max(1, Math.round(width * ratio));
      canvas.height = Math.max(1, Math.round(height * ratio));
    }
    if (this.whole) this.showAll();
    this.stale = true;
    if (width && height) this.draw(); // at once: a canvas of a new size is empty
  }

  /** Draws everything anew before the next frame; with `overlay` only what follows the pointer. */
  redraw(overlay = false) {
    this.stale = this.stale || !overlay;
    if (this.pending || !this.width) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.draw();
    });
  }

  draw() {
    if (this.stale) this.drawBase();
    this.stale = false;
    this.drawOverlay();
  }

  showAll() {
    this.show(this.nodes.filter((node) => !this.hidden.has(node)), 2.5);
    this.whole = true;
  }

  /** Shows these nodes, at most `closest` near. */
  show(nodes, closest) {
    if (!nodes.length || !this.width) return;
    const [left, right] = extent(nodes.map((node) => node.x));
    const [top, bottom] = extent(nodes.map((node) => node.y));
    const wide = Math.max(80, this.width - 140) / Math.max(1, right - left);
    const high = Math.max(80, this.height - 140) / Math.max(1, bottom - top);
    const zoom = Math.max(0.01, Math.min(closest, wide, high));
    this.view = { x: (left + right) / 2, y: (top + bottom) / 2, zoom };
    this.whole = false;
    this.redraw();
  }

  centre(node) {
    this.view = { x: node.x, y: node.y, zoom: Math.max(this.view.zoom, 0.9) };
    this.whole = false;
    this.redraw();
  }

  moveBy(dx, dy) {
    this.view.x -= dx / this.view.zoom;
    this.view.y -= dy / this.view.zoom;
    this.whole = false;
    this.redraw();
  }

  /** Zooms by `factor` around a point of the screen, which stays where it is. */
  zoomBy(factor, x = this.width / 2, y = this.height / 2) {
    const zoom = Math.min(8, Math.max(0.01, this.view.zoom * factor));
    const change = 1 / this.view.zoom - 1 / zoom;
    this.view.x += (x - this.width / 2) * change;
    this.view.y += (y - this.height / 2) * change;
    this.view.zoom = zoom;
    this.whole = false;
    this.redraw();
  }

  place(node) {
    const { x, y, zoom } = this.view;
    return [(node.x - x) * zoom + this.width / 2, (node.y - y) * zoom + this.height / 2];
  }

  radius(node) {
    const size = 4 + Math.min(5, Math.sqrt(node.edges.length) * 0.8);
    return size * Math.min(1.6, Math.max(0.45, Math.sqrt(this.view.zoom)));
  }

  nodeAt(x, y) {
    let best = null;
    let nearest = Infinity;
    for (const node of this.nodes) {
      if (this.hidden.has(node)) continue;
      const [px, py] = this.place(node);
      const distance = Math.hypot(px - x, py - y) - Math.max(5, this.radius(node));
      if (distance < Math.min(nearest, 4)) [best, nearest] = [node, distance];
    }
    return best;
  }

  start(canvas) {
    const pen = canvas.getContext("2d");
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    return pen;
  }

  drawBase() {
    const pen = this.start(this.base);
    const walked = this.path.nodes.length + this.path.edges.length > 0;
    this.visible = this.nodes.filter((node) => this.onScreen(node));
    this.taken = [];
    if (this.drawBelow) this.drawBelow(pen);
    this.drawEdges(pen, this.selected ? 0.25 : walked ? 0.45 : 1);
    this.drawMatches(pen);
    if (this.selected) this.drawStar(pen, this.selected);
    this.drawPathLines(pen);
    const near = this.selected ? this.neighbourhood(this.selected) : this.path.all || this.group;
    for (const node of this.visible) {
      pen.globalAlpha = !near || near.has(node) || this.matches.has(node) ? 1 : 0.3;
      this.drawNode(pen, node);
    }
    pen.globalAlpha = 1;
    this.drawPathNumbers(pen);
    this.drawLabels(pen, near);
  }

  drawOverlay() {
    const pen = this.start(this.canvas);
    pen.drawImage(this.base, 0, 0, this.width, this.height);
    const node = this.hovered;
    if (!node) return;
    if (node !== this.selected) {
      this.drawStar(pen, node);
      for (const near of this.neighbourhood(node)) this.drawNode(pen, near);
    }
    this.drawLabel(pen, node, true);
  }

  onScreen(node) {
    if (this.hidden.has(node)) return false;
    const [x, y] = this.place(node);
    return x > -40 && y > -40 && x < this.width + 40 && y < this.height + 40;
  }

  neighbourhood(node) {
    return new Set([node, ...node.edges.map((edge) => (edge.from === node ? edge.to : edge.from))]);
  }

  drawEdges(pen, strength) {
    const bands = [[], [], []];
    for (const edge of this.edges) {
      const [x, y] = this.place(edge.from);
      const [u, v] = this.place(edge.to);
      if (Math.max(x, u) < 0 || Math.max(y, v) < 0) continue;
      if (Math.min(x, u) > this.width || Math.min(y, v) > this.height) continue;
      const band = Math.max(0, Math.min(2, Math.floor((edge.weight / this.strongest) * 3)));
      bands[band].push(edge, x, y, u, v);
    }
    const shown = bands.reduce((sum, band) => sum + band.length / 5, 0);
    const crowd = Math.min(1, Math.max(0.16, 6 / Math.sqrt(shown + 1) + this.view.zoom * 0.1));
    pen.strokeStyle = pen.fillStyle = this.colours.edge;
    bands.forEach((band, strong) => {
      pen.globalAlpha = strength * crowd * (0.55 + 0.22 * strong);
      pen.lineWidth = shown > HAIRLINES_FROM ? 1 / this.ratio : 0.7 + 0.35 * strong;
      for (let from = 0; from < band.length; from += 2000) {
        pen.beginPath();
        for (let at = from; at < Math.min(band.length, from + 2000); at += 5) {
          pen.moveTo(band[at + 1], band[at + 2]);
          pen.lineTo(band[at + 3], band[at + 4]);
        }
        pen.stroke();
      }
      if (!this.directed || shown > ARROWS_UP_TO) return;
      for (let at = 0; at < band.length; at += 5) this.drawArrow(pen, band[at], false, 5);
    });
    pen.globalAlpha = 1;
  }

  drawMatches(pen) {
    pen.fillStyle = this.colours.match;
    for (const node of this.matches) {
      if (this.hidden.has(node)) continue;
      const [x, y] = this.place(node);
      pen.beginPath();
      pen.arc(x, y, this.radius(node) + 6, 0, 2 * Math.PI);
      pen.fill();
    }
  }

  drawNode(pen, node) {
    const [x, y] = this.place(node);
    pen.fillStyle = node.colour || this.kinds[node.slot % 6];
    pen.strokeStyle = node === this.selected ? this.colours.ink : this.colours.surface;
    pen.lineWidth = node === this.selected ? 2.5 : 1;
    drawSymbol(pen, node.slot, x, y, this.radius(node));
  }

  /** The edges of a node. */
  drawStar(pen, node) {
    pen.strokeStyle = pen.fillStyle = this.colours.focus;
    pen.lineWidth = 1.2;
    pen.globalAlpha = node.edges.length > 60 ? 0.5 : 0.8;
    for (const edge of node.edges) this.drawLine(pen, edge, 7);
    pen.globalAlpha = 1;
  }

  drawPathLines(pen) {
    pen.strokeStyle = pen.fillStyle = this.colours.path;
    pen.globalAlpha = this.selected ? 0.5 : 1;
    pen.lineWidth = 2;
    for (const edge of this.path.edges) this.drawLine(pen, edge, 9);
    pen.globalAlpha = 1;
  }

  drawPathNumbers(pen) {
    pen.globalAlpha = this.selected ? 0.5 : 1;
    pen.strokeStyle = this.colours.path;
    pen.lineWidth = 2;
    for (const node of this.path.all || []) {
      const [x, y] = this.place(node);
      const radius = this.radius(node) + 2.5;
      pen.beginPath();
      pen.arc(x, y, radius, 0, 2 * Math.PI);
      pen.stroke();
      this.taken.push({ x: x - radius, y: y - radius, wide: 2 * radius, high: 2 * radius });
    }
    for (const { node, number } of this.path.nodes) {
      const [x, y] = this.place(node);
      const away = this.radius(node) + 11;
      const around = [5, 3, 4, 7, 1, 6, 2, 0].map((turn) => (turn * Math.PI) / 4);
      const places = around.map((turn) => [x + away * Math.cos(turn), y + away * Math.sin(turn)]);
      this.drawNumber(pen, number, places, true);
    }
    for (const edge of this.path.edges) {
      const { middle } = curve(this.place(edge.from), this.place(edge.to), this.directed);
      this.drawNumber(pen, edge.number, [middle], false);
    }
    pen.globalAlpha = 1;
  }

  /** The place of something in the order of the answer, where there is room; evidence always. */
  drawNumber(pen, number, places, evidence) {
    pen.font = `600 11px ${this.font}`;
    const wide = Math.max(17, pen.measureText(String(number)).width + 9);
    const free = places.find(([u, v]) => this.take(u - wide / 2, v - 8.5, wide, 17));
    if (!free && !evidence) return;
    const [x, y] = free || places[0];
    pen.beginPath();
    pen.roundRect(x - wide / 2, y - 8.5, wide, 17, 8.5);
    pen.lineWidth = 1.5;
    pen.fillStyle = evidence ? this.colours.path : this.colours.surface;
    pen.fill();
    pen.strokeStyle = this.colours.path;
    pen.stroke();
    pen.fillStyle = evidence ? this.colours["on-path"] : this.colours.path;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(String(number), x, y + 0.5);
  }

  drawLine(pen, edge, size) {
    const { bend, end } = curve(this.place(edge.from), this.place(edge.to), this.directed);
    pen.beginPath();
    pen.moveTo(...this.place(edge.from));
    pen.quadraticCurveTo(...bend, ...end);
    pen.stroke();
    if (this.directed) this.drawArrow(pen, edge, true, size);
  }

  drawArrow(pen, edge, bent, size) {
    if (edge.from === edge.to) return;
    const { bend, end } = curve(this.place(edge.from), this.place(edge.to), bent);
    const turn = Math.atan2(end[1] - bend[1], end[0] - bend[0]);
    const back = this.radius(edge.to) + 2;
    const [x, y] = [end[0] - Math.cos(turn) * back, end[1] - Math.sin(turn) * back];
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x - size * Math.cos(turn - 0.4), y - size * Math.sin(turn - 0.4));
    pen.lineTo(x - size * Math.cos(turn + 0.4), y - size * Math.sin(turn + 0.4));
    pen.fill();
  }

  /** Labels where there is room: of what is in focus, else of the best connected nodes. */
  drawLabels(pen, near) {
    const first = [this.selected, ...this.path.nodes.map(({ node }) => node), ...this.matches];
    const crowded = this.visible.length > CROWD;
    const others = near && (this.selected || crowded) ? [] : this.byDegree;
    const most = LABELS * (near ? 1 : Math.min(1, Math.max(0.2, CROWD / this.visible.length)));
    let drawn = 0;
    for (const node of new Set([...first, ...(near || []), ...others])) {
      if (drawn >= most) break;
      pen.globalAlpha = !near || near.has(node) || this.matches.has(node) ? 1 : 0.55;
      if (!node || !this.onScreen(node)) continue;
      if (this.drawLabel(pen, node, node === this.selected)) drawn += 1;
    }
    pen.globalAlpha = 1;
  }

  drawLabel(pen, node, always) {
    const [x, y] = this.place(node);
    const letters = [...node.label.replace(/\s+/gu, " ")];
    const text = letters.length > 32 ? `${letters.slice(0, 31).join("")}…` : letters.join("");
    pen.font = `${always ? "600 " : ""}12px ${this.font}`;
    const wide = pen.measureText(text).width;
    const away = this.radius(node) + 7;
    const inside = (left) => left >= 0 && left + wide < this.width;
    const fits = (left) => inside(left) && this.take(left - 3, y - 9, wide + 6, 18);
    const free = [x + away, x - away - wide].find(fits);
    if (free === undefined && !always) return false;
    const left = free ?? x + away;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    pen.lineWidth = 4;
    pen.strokeStyle = this.colours.surface;
    pen.strokeText(text, left, y);
    pen.fillStyle = this.colours.ink;
    pen.fillText(text, left, y);
    return true;
  }

  /** Whether a place was free, which is then taken. */
  take(x, y, wide, high) {
    const free = this.taken.every(
      (box) => x + wide < box.x || box.x + box.wide < x || y + high < box.y || box.y + box.high < y,
    );
    if (free) this.taken.push({ x, y, wide, high });
    return free;
  }
}

function extent(numbers) {
  const least = numbers.reduce((a, b) => Math.min(a, b));
  return [least, numbers.reduce((a, b) => Math.max(a, b))];
}

/** Where a line runs: bent to one side, so that there and back are two lines. */
function curve([x, y], [u, v], bent) {
  const bow = bent ? 0.12 : 0;
  const bend = [(x + u) / 2 + (v - y) * bow, (y + v) / 2 - (u - x) * bow];
  const middle = [(x + u) / 4 + bend[0] / 2, (y + v) / 4 + bend[1] / 2];
  return { bend, middle, end: [u, v] };
}

/** Kinds differ in form as well as in colour. */
function drawSymbol(pen, slot, x, y, radius) {
  const corners = [0, 4, 3, 6][slot % 4];
  pen.beginPath();
  if (!corners) pen.arc(x, y, radius, 0, 2 * Math.PI);
  for (let corner = 0; corner < corners; corner += 1) {
    const turn = (2 * Math.PI * (corner + (corners === 4 ? 0.5 : 0))) / corners - Math.PI / 2;
    pen.lineTo(x + 1.25 * radius * Math.cos(turn), y + 1.25 * radius * Math.sin(turn));
  }
  pen.closePath();
  pen.fill();
  pen.stroke();
}
