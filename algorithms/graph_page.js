
const KNOWN_KINDS = ["passage", "entity", "community", "document"];
const AT_ONCE = 100;
const byId = (id) => document.getElementById(id);
const { directed, nodes, edges, path } = JSON.parse(byId("data").textContent);
const nodeOf = new Map(nodes.map((node) => [node.id, node]));
const kinds = [...new Set([...KNOWN_KINDS, ...nodes.map((node) => node.kind)])];
const searched = { words: "", nodes: [], at: -1 };

for (const node of nodes) {
  node.slot = kinds.indexOf(node.kind);
  node.edges = [];
  node.titleKey = comparable(node.label);
  node.textKey = comparable(node.text);
}
for (const edge of edges) {
  edge.from = nodes[edge.source];
  edge.to = nodes[edge.target];
  edge.from.edges.push(edge);
  if (edge.from !== edge.to) edge.to.edges.push(edge);
}
const drawing = new Drawing(byId("drawing"), nodes, edges, directed);

function comparable(text) {
  return text.normalize("NFC").toLowerCase();
}

/** The language of a text by its letters, where it is not that of the page. */
function languageOf(text) {
  const count = (script) => (text.match(new RegExp(`\\p{Script=${script}}`, "gu")) || []).length;
  const latin = count("Latin") / 3;
  if (count("Hangul") > latin) return "ko";
  const kana = count("Hiragana") + count("Katakana");
  if (kana + count("Han") <= latin) return "";
  return kana ? "ja" : "zh";
}

/** An element that shows text as text, whatever it holds. */
function element(name, className = "", text = "") {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  if (text) {
    made.dir = "auto";
    if (languageOf(text)) made.lang = languageOf(text);
  }
  return made;
}

function titleOf(node) {
  return node.label || node.id;
}

function nodeButton(node) {
  const button = element("button", "link", titleOf(node));
  button.type = "button";
  button.addEventListener("click", () => {
    select(node);
    if (!drawing.onScreen(node) || drawing.view.zoom < 0.5) drawing.centre(node);
    byId("panel").focus();
  });
  const hover = (hovered) => () => Object.assign(drawing, { hovered }).redraw(true);
  button.addEventListener("pointerenter", hover(node));
  button.addEventListener("pointerleave", hover(null));
  return button;
}

function item(...parts) {
  const made = element("li");
  made.append(...parts);
  return made;
}

function box(...parts) {
  const made = element("div");
  made.append(...parts);
  return made;
}

/** Adds a heading and a list, of which the rest is shown on demand. */
function addList(title, name, items, make) {
  if (!items.length) return;
  const list = element(name);
  const more = element("button", "more", "");
  more.type = "button";
  const add = () => {
    const next = items.slice(list.children.length, list.children.length + AT_ONCE);
    list.append(...next.map(make));
    const rest = items.length - list.children.length;
    more.textContent = `Show ${Math.min(rest, AT_ONCE)} of ${rest} more`;
    more.hidden = !rest;
  };
  more.addEventListener("click", add);
  add();
  byId("panel").append(element("h3", "", title), list, more);
}

function figure(value) {
  if (typeof value !== "number" || Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(3)));
}

function edgeItem(edge, node) {
  const parts = [nodeButton(edge.from === node ? edge.to : edge.from)];
  if (edge.label) parts.push(element("p", "", edge.label));
  const facts = [edge.kind, `weight ${figure(edge.weight)}`];
  for (const [name, value] of Object.entries(edge.attributes)) {
    facts.push(`${name} ${figure(value)}`);
  }
  parts.push(element("p", "aside", facts.filter(Boolean).join(" · ")));
  return item(box(...parts));
}

function addText(text) {
  const shown = element("p", "text", text);
  const at = searched.words ? comparable(text).indexOf(searched.words) : -1;
  if (at >= 0 && comparable(text).length === text.length) {
    const end = at + searched.words.length;
    const found = document.createElement("mark");
    found.textContent = text.slice(at, end);
    shown.replaceChildren(text.slice(0, at), found, text.slice(end));
  }
  byId("panel").append(shown);
}

function showNode(node) {
  const back = element("button", "link back", "← Overview");
  back.type = "button";
  back.addEventListener("click", () => {
    select(null);
    byId("panel").focus();
  });
  byId("panel").replaceChildren(
    back, element("div", "kind", node.kind), element("h2", "", titleOf(node)),
  );
  if (node.text) addText(node.text);
  const facts = element("dl");
  for (const [name, value] of Object.entries(node.attributes)) {
    facts.append(element("dt", "", name), element("dd", "", figure(value)));
  }
  if (facts.children.length) byId("panel").append(facts);
  const sorted = [...node.edges].sort((a, b) => b.weight - a.weight);
  const out = sorted.filter((edge) => edge.from === node || !directed);
  const into = sorted.filter((edge) => edge.from !== node && directed);
  const make = (edge) => edgeItem(edge, node);
  addList(`${directed ? "Leads to" : "Connected with"} (${out.length})`, "ul", out, make);
  addList(`Reached from (${into.length})`, "ul", into, make);
  if (!node.edges.length) byId("panel").append(element("p", "hint", "No edges."));
}

function pathItem(number, className, ...parts) {
  const badge = element("span", `number ${className}`, String(number));
  return item(badge, box(...parts));
}

/** The name of a node of the path, which may lie outside the graph, as web pages do. */
function reference(id, title) {
  if (nodeOf.has(id)) return nodeButton(nodeOf.get(id));
  return element("span", "", `${title || id} (not in this graph)`);
}

function hopItem(hop, place) {
  const parts = [reference(hop.source), element("span", "aside", " → "), reference(hop.target)];
  if (hop.question) parts.push(element("p", "", hop.question));
  if (hop.label) parts.push(element("p", "aside", hop.label));
  return pathItem(place + 1, "", ...parts);
}

function showOverview() {
  byId("panel").replaceChildren();
  if (path) {
    byId("panel").append(element("h2", "", "How the answer was found"));
    if (path.answer) byId("panel").append(element("p", "text", path.answer));
    addList("Evidence, best first", "ol", path.nodes.map((node, at) => ({ ...node, at })), (node) =>
      pathItem(node.at + 1, "evidence", reference(node.id, node.title)));
    addList("Edges walked, in order", "ol", path.edges.map((hop, at) => ({ ...hop, at })), (hop) =>
      hopItem(hop, hop.at));
    return;
  }
  const hint = "Choose a node in the drawing, or find one by its title or text.";
  byId("panel").append(element("h2", "", "Overview"), element("p", "hint", hint));
  const hubs = drawing.byDegree.filter((node) => node.edges.length).slice(0, 12);
  addList("Best connected", "ul", hubs, (node) =>
    item(box(nodeButton(node), element("p", "aside", `${node.edges.length} edges`))));
}

function select(node) {
  drawing.selected = node;
  drawing.hovered = null;
  drawing.redraw();
  if (node) showNode(node);
  else showOverview();
  byId("panel").scrollTop = 0;
}

function search(words) {
  searched.words = comparable(words.trim());
  searched.at = -1;
  const inTitle = (node) => node.titleKey.includes(searched.words);
  const found = nodes.filter((node) => inTitle(node) || node.textKey.includes(searched.words));
  found.sort((a, b) => inTitle(b) - inTitle(a));
  searched.nodes = searched.words ? found : [];
  drawing.matches = new Set(searched.nodes);
  drawing.redraw();
  const sum = searched.nodes.length;
  const count = sum ? `${sum} found, Enter shows the first` : "Nothing found";
  byId("found").textContent = searched.words ? count : "Enter goes to the next one";
}

function goToMatch(step) {
  const sum = searched.nodes.length;
  if (!sum) return;
  searched.at = searched.at < 0 && step < 0 ? sum - 1 : (searched.at + step + sum) % sum;
  drawing.centre(searched.nodes[searched.at]);
  select(searched.nodes[searched.at]);
  byId("found").textContent = `${searched.at + 1} of ${sum}`;
}

function listenToSearch() {
  const input = byId("search");
  input.addEventListener("input", () => search(input.value));
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter") goToMatch(event.shiftKey ? -1 : 1);
    if (event.key !== "Escape") return;
    input.value = "";
    search("");
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target === input) return;
    event.preventDefault();
    input.focus();
  });
}

function listenToPointer(canvas) {
  const down = new Map();
  let moved = 0;
  const spread = () => {
    const [a, b] = [...down.values()];
    return Math.hypot(a.offsetX - b.offsetX, a.offsetY - b.offsetY);
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    if (!down.size) moved = 0;
    canvas.setPointerCapture(event.pointerId);
    down.set(event.pointerId, event);
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = down.get(event.pointerId);
    if (!before) return hover(canvas, drawing.nodeAt(event.offsetX, event.offsetY));
    const [dx, dy] = [event.offsetX - before.offsetX, event.offsetY - before.offsetY];
    const apart = down.size > 1 ? spread() : 0;
    down.set(event.pointerId, event);
    moved += Math.abs(dx) + Math.abs(dy);
    canvas.classList.toggle("moving", moved > 4);
    if (moved > 4) drawing.moveBy(dx / down.size, dy / down.size);
    if (apart) drawing.zoomBy(spread() / apart, event.offsetX, event.offsetY);
  });
  const up = (event) => {
    if (!down.delete(event.pointerId)) return;
    canvas.classList.remove("moving");
    if (event.type === "pointerup" && moved <= 4) {
      select(drawing.nodeAt(event.offsetX, event.offsetY));
    }
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("pointerleave", () => hover(canvas, null));
}

function hover(canvas, node) {
  canvas.classList.toggle("on-node", Boolean(node));
  if (node === drawing.hovered) return;
  drawing.hovered = node;
  drawing.redraw(true);
}

function listenToZoom(canvas) {
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const turned = event.deltaY * (event.deltaMode ? 16 : 1);
    drawing.zoomBy(Math.exp(-turned * 0.0016), event.offsetX, event.offsetY);
  }, { passive: false });
  byId("closer").addEventListener("click", () => drawing.zoomBy(1.4));
  byId("farther").addEventListener("click", () => drawing.zoomBy(1 / 1.4));
  byId("all").addEventListener("click", () => drawing.showAll());
  const keys = {
    ArrowLeft: () => drawing.moveBy(60, 0), ArrowRight: () => drawing.moveBy(-60, 0),
    ArrowUp: () => drawing.moveBy(0, 60), ArrowDown: () => drawing.moveBy(0, -60),
    "+": () => drawing.zoomBy(1.25), "=": () => drawing.zoomBy(1.25),
    "-": () => drawing.zoomBy(0.8), 0: () => drawing.showAll(), Escape: () => select(null),
  };
  canvas.addEventListener("keydown", (event) => {
    if (!Object.hasOwn(keys, event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  });
}

function showLegend() {
  const counts = kinds.map((kind) => nodes.filter((node) => node.kind === kind).length);
  const rows = kinds.flatMap((kind, slot) => {
    if (!counts[slot]) return [];
    const swatch = document.createElement("canvas");
    swatch.width = swatch.height = 28;
    swatch.style.width = swatch.style.height = "14px";
    const pen = swatch.getContext("2d");
    pen.fillStyle = drawing.kinds[slot % 6];
    pen.strokeStyle = "transparent";
    drawSymbol(pen, slot, 14, 14, 10);
    return [item(swatch, element("span", "", `${kind} (${counts[slot].toLocaleString("en")})`))];
  });
  if (path) {
    const badge = element("span", "number evidence", "1");
    rows.push(item(badge, element("span", "", "evidence, in order")));
  }
  if (path && path.edges.length) {
    rows.push(item(element("span", "number", "1"), element("span", "", "edge walked, in order")));
  }
  byId("legend").replaceChildren(...rows);
}

function setPath() {
  const ranked = path.nodes.map(({ id }, at) => ({ node: nodeOf.get(id), number: at + 1 }));
  const walked = path.edges.map(({ source, target }, at) => ({
    from: nodeOf.get(source), to: nodeOf.get(target), number: at + 1,
  }));
  const within = ranked.filter(({ node }) => node);
  const drawn = walked.filter(({ from, to }) => from && to);
  const all = new Set([
    ...within.map(({ node }) => node), ...drawn.flatMap(({ from, to }) => [from, to]),
  ]);
  drawing.path = { nodes: within, edges: drawn, all };
}

/** `#search=words` and `#node=id` in the address choose what is shown. */
function followAddress() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  if (wanted.has("search")) {
    byId("search").value = wanted.get("search");
    search(wanted.get("search"));
    goToMatch(1);
  }
  const node = nodeOf.get(wanted.get("node"));
  if (!node) return;
  drawing.centre(node);
  select(node);
}

if (path) setPath();
byId("title").lang = languageOf(document.title) || "en";
const plural = (count, name) => `${count.toLocaleString("en")} ${name}${count === 1 ? "" : "s"}`;
byId("size").textContent = `${plural(nodes.length, "node")}, ${plural(edges.length, "edge")}`;
listenToSearch();
listenToPointer(byId("drawing"));
listenToZoom(byId("drawing"));
showLegend();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showLegend);
showOverview();
drawing.resize();
followAddress();
addEventListener("hashchange", followAddress);
