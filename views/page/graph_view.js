/* A drawing of nodes and edges, to be moved and zoomed: the one file that knows cytoscape. */

import { html, useEffect, useRef } from "./html.js";
import { colour, onTheme } from "./theme.js";
import cytoscape from "./vendor/cytoscape.js";
import { ZoomButtons } from "./zoom_buttons.js";

const READABLE = 0.9; // the zoom below which names are hard to read
const QUICK = matchMedia("(prefers-reduced-motion: reduce)");

/* Draws `nodes` {id, kind, label} and `edges` {id, source, target, kind, label}: related nodes near
   each other. `chosen` is marked. A node's `onChoose(id)` is called by a click. `label` says what is
   drawn, and the list beside the canvas, which the caller makes, is for those who cannot see or
   point. */
export function GraphView({ nodes, edges, chosen, onChoose, label }) {
  const box = useRef();
  const cy = useRef();
  const choose = useRef();
  choose.current = onChoose;
  useEffect(() => {
    cy.current = opened(box.current, (id) => choose.current?.(id));
    const forget = onTheme(() => cy.current.style(styles()));
    const watched = new ResizeObserver(() => cy.current.resize());
    watched.observe(box.current);
    return () => {
      forget();
      watched.disconnect();
      cy.current.destroy();
    };
  }, []);
  useEffect(() => void (put(cy.current, nodes, edges) && spread(cy.current, chosen)), [nodes, edges]);
  useEffect(() => mark(cy.current, chosen), [chosen, nodes, edges]);
  return html`<div class="graph" data-part="graph">
    <div class="graph-canvas" role="img" aria-label=${label} ref=${box}></div>
    <${ZoomButtons} zoom=${(by) => zoomed(cy.current, by)} all=${() => look(cy.current)} />
  </div>`;
}

/* An empty drawing in an element. */
function opened(container, choose) {
  const cy = cytoscape({
    container,
    style: styles(),
    minZoom: 0.02,
    maxZoom: 6,
    hideEdgesOnViewport: true,
    textureOnViewport: true,
    boxSelectionEnabled: false,
    autounselectify: true,
  });
  cy.on("tap", "node", (event) => choose(event.target.id()));
  return cy;
}

/* Makes the drawing hold these nodes and edges and no others; whether there are new nodes. */
function put(cy, nodes, edges) {
  const before = new Set(cy.nodes().map((node) => node.id()));
  const wanted = new Set([...nodes, ...edges].map((one) => one.id));
  cy.batch(() => {
    cy.elements().filter((one) => !wanted.has(one.id())).remove();
    cy.add(nodes.filter((one) => !before.has(one.id)).map((one) => nodeOf(cy, one, edges)));
    const known = new Set(cy.edges().map((edge) => edge.id()));
    cy.add(edges.filter((one) => !known.has(one.id)).map((one) => ({ group: "edges", data: one, classes: one.kind })));
    for (const one of nodes) cy.getElementById(one.id).data(one).classes(one.kind);
  });
  return nodes.some((one) => !before.has(one.id));
}

/* A node for cytoscape, beside a neighbour. */
function nodeOf(cy, one, edges) {
  const made = { group: "nodes", data: { ...one }, classes: one.kind };
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

/* Moves related nodes near each other; of many, those around the chosen one are in view. */
function spread(cy, chosen) {
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
  const zoom = Math.min(1, Math.max(READABLE, cy.zoom()));
  if (zoom === cy.zoom()) return;
  const node = chosen ? cy.getElementById(chosen) : cy.collection();
  cy.zoom(zoom);
  cy.center(zoom < 1 && node.nonempty() ? node : undefined);
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

/* Brings everything into view. */
function look(cy) {
  const to = { eles: cy.elements(), padding: 24 };
  if (to.eles.empty() || !cy.width()) return;
  if (QUICK.matches) cy.fit(to.eles, to.padding);
  else cy.stop().animate({ fit: to, duration: 260, easing: "ease-out" });
}

function zoomed(cy, by) {
  const middle = { x: cy.width() / 2, y: cy.height() / 2 };
  cy.zoom({ level: cy.zoom() * by, renderedPosition: middle });
}

/* The styles in the colours of today. */
function styles() {
  const ink = colour("--ink");
  const surface = colour("--surface");
  const line = colour("--strong-line");
  const accent = colour("--accent");
  const font = getComputedStyle(document.body).fontFamily;
  const text = { color: ink, "font-family": font, "text-outline-color": surface, "min-zoomed-font-size": 8 };
  return [
    { selector: "node", style: { ...text, "z-index-compare": "manual", "overlay-opacity": 0 } },
    { selector: "edge", style: { "z-index-compare": "manual", "overlay-opacity": 0, "line-color": line, opacity: 0.7, width: 1.2, "z-index": 20 } },
    ...walkStyles(ink, surface, line, accent),
  ];
}

function walkStyles(ink, surface, line, accent) {
  const kind = (selector, shape, token, size) => ({
    selector, style: { shape, "background-color": colour(token), width: size, height: size } });
  const said = { label: "data(label)", "font-size": 12.5, color: ink, "text-outline-color": surface,
    "text-outline-width": 2.5, "text-wrap": "ellipsis", "text-max-width": 170, "text-rotation": "autorotate" };
  return [
    { selector: "node", style: { label: "data(label)", "font-size": 12.5, "text-valign": "bottom",
      "text-margin-y": 4, "text-wrap": "wrap", "text-max-width": 130, "text-outline-width": 2.5, "z-index": 30 } },
    kind(".entity", "ellipse", "--kind-1", 16),
    kind(".passage", "round-rectangle", "--kind-2", 15),
    kind(".name", "diamond", "--kind-5", 16),
    { selector: ".passage", style: { width: 20 } },
    { selector: "edge", style: { "curve-style": "bezier", "line-style": "solid" } },
    { selector: "edge.relation, edge.hop", style: { "target-arrow-shape": "triangle",
      "target-arrow-color": line, "arrow-scale": 0.8 } },
    { selector: "edge.mention", style: { "line-style": "dashed", "line-dash-pattern": [4, 4] } },
    { selector: "edge.near", style: { ...said, "line-color": accent, "target-arrow-color": accent, opacity: 1, "z-index": 25 } },
    { selector: "node.chosen", style: { "border-width": 3, "border-color": accent, "font-weight": 600 } },
  ];
}
