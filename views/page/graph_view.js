/* A drawing of nodes and edges, to be moved and zoomed: the one file that knows cytoscape. */

import { html, useEffect, useRef } from "./html.js";
import { colour, onTheme } from "./theme.js";
import cytoscape from "./vendor/cytoscape.js";
import { t } from "./words.js";

const TITLE = 12.5; // pixels on the screen
const READABLE = 30; // pixels of a circle that has room for its title
const KINDS = 7;
const STEP = 1.4;
const QUICK = matchMedia("(prefers-reduced-motion: reduce)");

/* Draws `nodes` {id, kind, label} and `edges` {id, source, target, kind, label}.

   Where `placed`, nodes have {x, y}, circles {r, level, colour} and stand still; else related nodes
   draw near each other. `chosen` is marked; `focus` is zoomed to, all where it is empty. A node's
   `onChoose(id)` is called by a click. `label` says what is drawn, and the list beside the canvas,
   which the caller makes, is for those who cannot see or point. */
export function GraphView({ nodes, edges, placed = false, chosen, focus, onChoose, label }) {
  const box = useRef();
  const cy = useRef();
  const choose = useRef();
  choose.current = onChoose;
  useEffect(() => {
    cy.current = opened(box.current, placed, (id) => choose.current?.(id));
    const forget = onTheme(() => cy.current.style(styles(placed)));
    const watched = new ResizeObserver(() => cy.current.resize());
    watched.observe(box.current);
    return () => {
      forget();
      watched.disconnect();
      cy.current.destroy();
    };
  }, [placed]);
  useEffect(() => {
    const isNew = put(cy.current, nodes, edges, placed);
    if (placed) titled(cy.current);
    else if (isNew) spread(cy.current);
  }, [nodes, edges, placed]);
  useEffect(() => mark(cy.current, chosen), [chosen, nodes, edges]);
  useEffect(() => look(cy.current, focus, placed), [focus, nodes, placed]);
  const zoom = (by) => zoomed(cy.current, by);
  return html`<div class="graph" data-part="graph">
    <div class="graph-canvas" role="img" aria-label=${label} ref=${box}></div>
    <div class="graph-zoom" role="group" aria-label=${t("g_zoom")}>
      <button class="button icon" type="button" aria-label=${t("g_in")} onClick=${() => zoom(STEP)}>+</button>
      <button class="button icon" type="button" aria-label=${t("g_out")} onClick=${() => zoom(1 / STEP)}>−</button>
      <button class="button icon" type="button" aria-label=${t("g_all")} title=${t("g_all")} onClick=${() => look(cy.current, "", placed)}>
        <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
          <path d="M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4" fill="none" stroke="currentColor" stroke-width="1.6" />
        </svg>
      </button>
    </div>
  </div>`;
}

/* An empty drawing in an element. */
function opened(container, placed, choose) {
  const cy = cytoscape({
    container,
    style: styles(placed),
    minZoom: 0.02,
    maxZoom: 6,
    hideEdgesOnViewport: true,
    textureOnViewport: true,
    boxSelectionEnabled: false,
    autounselectify: true,
    autoungrabify: placed,
  });
  cy.on("tap", "node", (event) => choose(event.target.id()));
  if (placed) {
    let asked = 0;
    cy.on("zoom resize", () => {
      cancelAnimationFrame(asked);
      asked = requestAnimationFrame(() => cy.destroyed() || titled(cy));
    });
  }
  return cy;
}

/* Makes the drawing hold these nodes and edges and no others; whether there are new nodes. */
function put(cy, nodes, edges, placed) {
  const before = new Set(cy.nodes().map((node) => node.id()));
  const wanted = new Set([...nodes, ...edges].map((one) => one.id));
  cy.batch(() => {
    cy.elements().filter((one) => !wanted.has(one.id())).remove();
    cy.add(nodes.filter((one) => !before.has(one.id)).map((one) => nodeOf(cy, one, edges, placed)));
    const known = new Set(cy.edges().map((edge) => edge.id()));
    cy.add(edges.filter((one) => !known.has(one.id)).map((one) => ({ group: "edges", data: one, classes: one.kind })));
    for (const one of nodes) cy.getElementById(one.id).data(one).classes(one.kind);
  });
  return nodes.some((one) => !before.has(one.id));
}

/* A node for cytoscape; one without a place comes in beside a neighbour. */
function nodeOf(cy, one, edges, placed) {
  const made = { group: "nodes", data: { ...one }, classes: one.kind, pannable: placed };
  if (placed) return { ...made, position: { x: one.x, y: one.y } };
  const edge = edges.find((each) => each.source === one.id || each.target === one.id);
  const near = edge && cy.getElementById(edge.source === one.id ? edge.target : edge.source);
  const at = near?.nonempty() ? near.position() : { x: 0, y: 0 };
  const angle = 2.4 * cy.nodes().length + 2.4 * turn(one.id);
  return { ...made, position: { x: at.x + 90 * Math.cos(angle), y: at.y + 90 * Math.sin(angle) } };
}

/* A number of a text, the same each time, so that the same walk gives the same picture. */
function turn(text) {
  let sum = 0;
  for (const letter of text) sum = (sum * 31 + letter.codePointAt(0)) % 997;
  return sum;
}

/* Moves related nodes near each other. */
function spread(cy) {
  cy.layout({
    name: "cose",
    animate: false,
    randomize: false,
    fit: true,
    padding: 40,
    nodeRepulsion: () => 160000,
    idealEdgeLength: () => 120,
    edgeElasticity: () => 120,
    nodeOverlap: 30,
    gravity: 0.6,
    numIter: 800,
    componentSpacing: 90,
  }).run();
  if (cy.zoom() > 1) {
    cy.zoom(1);
    cy.center();
  }
}

/* Titles of circles keep their size on the screen, and show where there is room. */
function titled(cy) {
  const zoom = cy.zoom();
  const room = Math.min(cy.width(), cy.height());
  cy.batch(() => {
    cy.nodes(".circle").forEach((node) => {
      const radius = node.data("r") * zoom;
      const shows = radius > READABLE && radius < room * 0.8;
      node.data({ font: TITLE / zoom, wide: node.data("r") * 1.8, ring: 1.2 / zoom });
      node.toggleClass("untitled", !shows);
    });
    cy.nodes(".entity").forEach((node) => node.data({ font: Math.min(7, 11 / zoom) }));
  });
}

/* Marks a node and its edges. */
function mark(cy, chosen) {
  cy.batch(() => {
    cy.elements(".chosen, .near").removeClass("chosen near");
    if (!chosen) return;
    const node = cy.getElementById(chosen);
    node.addClass("chosen");
    node.connectedEdges().addClass("near");
    node.neighborhood("node").addClass("near");
  });
}

/* Brings a node, or everything, into view. */
function look(cy, id, placed) {
  const node = id ? cy.getElementById(id) : cy.collection();
  const eles = node.nonempty() ? node : placed ? cy.nodes() : cy.elements();
  if (eles.empty() || !cy.width()) return;
  const far = placed || node.empty();
  const to = far ? { fit: { eles, padding: 24 } } : { center: { eles } };
  if (QUICK.matches) far ? cy.fit(eles, 24) : cy.center(eles);
  else cy.stop().animate({ ...to, duration: 260, easing: "ease-out" });
}

function zoomed(cy, by) {
  const middle = { x: cy.width() / 2, y: cy.height() / 2 };
  cy.zoom({ level: cy.zoom() * by, renderedPosition: middle });
}

/* The styles in the colours of today. */
function styles(placed) {
  const ink = colour("--ink");
  const surface = colour("--surface");
  const line = colour("--strong-line");
  const accent = colour("--accent");
  const font = getComputedStyle(document.body).fontFamily;
  const text = { color: ink, "font-family": font, "text-outline-color": surface, "min-zoomed-font-size": 7 };
  return [
    { selector: "node", style: { ...text, "z-index-compare": "manual", "overlay-opacity": 0 } },
    { selector: "edge", style: { "z-index-compare": "manual", "overlay-opacity": 0, "line-color": line, opacity: placed ? 0.45 : 0.7, width: placed ? 0.7 : 1.2, "z-index": 20 } },
    ...(placed ? mapStyles(accent) : walkStyles(ink, surface, line, accent)),
  ];
}

function mapStyles(accent) {
  const colours = Array.from({ length: KINDS }, (_, at) => colour(`--kind-${at + 1}`));
  const tinted = (name) => (node) => colours[node.data(name) % KINDS];
  const bold = { "font-weight": 600, "text-outline-width": (node) => node.data("font") / 5 };
  return [
    { selector: ".circle", style: {
      width: (node) => 2 * node.data("r"), height: (node) => 2 * node.data("r"), shape: "ellipse",
      "background-color": tinted("colour"), "background-opacity": 0.09, "border-color": tinted("colour"),
      "border-width": "data(ring)", "border-opacity": 0.6, "z-index": (node) => node.data("level"),
      label: "data(label)", "font-size": "data(font)", "text-wrap": "ellipsis", "text-max-width": "data(wide)",
      "text-valign": "top", "text-margin-y": (node) => 0.65 * node.data("font"), ...bold,
    } },
    { selector: ".circle.bare", style: { "text-valign": "center", "text-margin-y": 0 } },
    { selector: ".circle.untitled", style: { label: "" } },
    { selector: ".circle.chosen", style: { "border-width": (node) => 2.5 * node.data("ring"), "border-opacity": 1, "border-color": accent } },
    { selector: ".entity", style: {
      width: 7, height: 7, "background-color": tinted("colour"), "z-index": 30, label: "data(label)",
      "font-size": "data(font)", "text-wrap": "ellipsis", "text-max-width": 58, "text-valign": "bottom",
      "text-margin-y": 1.5, "text-outline-width": 0.8, "text-outline-opacity": 0.8,
    } },
    { selector: ".entity.chosen", style: { width: 12, height: 12, "border-width": 2, "border-color": accent } },
    { selector: "edge.across", style: { opacity: 0.14 } },
    { selector: "edge.near", style: { "line-color": accent, opacity: 1, width: 1.4 } },
  ];
}

function walkStyles(ink, surface, line, accent) {
  const kind = (selector, shape, token, size) => ({
    selector, style: { shape, "background-color": colour(token), width: size, height: size } });
  const said = { label: "data(label)", "font-size": 9.5, color: ink, "text-outline-color": surface,
    "text-outline-width": 2.5, "text-wrap": "ellipsis", "text-max-width": 170, "text-rotation": "autorotate" };
  return [
    { selector: "node", style: { label: "data(label)", "font-size": 11.5, "text-valign": "bottom",
      "text-margin-y": 4, "text-wrap": "wrap", "text-max-width": 130, "text-outline-width": 2.5, "z-index": 30 } },
    kind(".entity", "ellipse", "--kind-1", 16),
    kind(".passage", "round-rectangle", "--kind-2", 15),
    kind(".name", "diamond", "--kind-5", 16),
    { selector: ".passage", style: { width: 20, "font-size": 10.5 } },
    { selector: "edge", style: { "curve-style": "bezier", "line-style": "solid" } },
    { selector: "edge.relation, edge.hop", style: { "target-arrow-shape": "triangle",
      "target-arrow-color": line, "arrow-scale": 0.8 } },
    { selector: "edge.mention", style: { "line-style": "dashed", "line-dash-pattern": [4, 4] } },
    { selector: "edge.near", style: { ...said, "line-color": accent, "target-arrow-color": accent, opacity: 1, "z-index": 25 } },
    { selector: "node.chosen", style: { "border-width": 3, "border-color": accent, "font-weight": 600 } },
  ];
}
