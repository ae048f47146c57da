
const AT_ONCE = 100;
const byId = (id) => document.getElementById(id);
const searched = { words: "", nodes: [], at: -1 };

/** Joins nodes and edges, which the data name by number, and makes them ready to be searched. */
function prepare(nodes, edges) {
  for (const node of nodes) {
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
}

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

/** Adds a text in which `quotes` and the words searched for are marked. */
function addText(text, quotes = []) {
  byId("panel").append(markedText(text, quotes));
}

function markedText(text, quotes) {
  const shown = element("p", "text", text);
  const spans = quotes.map((quote) => [text.indexOf(quote), quote.length]);
  const at = searched.words ? comparable(text).indexOf(searched.words) : -1;
  if (comparable(text).length === text.length) spans.push([at, searched.words.length]);
  const parts = [];
  let end = 0;
  for (const [start, length] of spans.sort(([a], [b]) => a - b)) {
    if (start < end) continue;
    const found = document.createElement("mark");
    found.textContent = text.slice(start, start + length);
    parts.push(text.slice(end, start), found);
    end = start + length;
  }
  if (parts.length) shown.replaceChildren(...parts, text.slice(end));
  return shown;
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

/** Hides or draws the nodes that no edge joins; a button says their number. */
function showAlone(drawn) {
  const alone = nodes.filter((node) => !node.edges.length);
  const hides = !drawn && alone.length < nodes.length;
  drawing.hidden = new Set(hides ? alone.filter((node) => !drawing.path.all?.has(node)) : []);
  const count = drawn ? alone.length : drawing.hidden.size;
  byId("alone").hidden = !count || alone.length === nodes.length;
  byId("alone").textContent = `${drawn ? "Hide" : "Show"} ${count.toLocaleString("en")} without an edge`;
  if (drawing.whole) drawing.showAll();
  drawing.redraw();
}

function listenToAlone() {
  byId("alone").addEventListener("click", () => {
    showAlone(drawing.hidden.size > 0);
    drawing.showAll();
  });
  showAlone(false);
}

/** Draws hidden nodes where one of `wanted` is hidden. */
function reveal(wanted) {
  if (wanted.some((node) => drawing.hidden.has(node))) showAlone(true);
}

function plural(count, name) {
  return `${count.toLocaleString("en")} ${name}${count === 1 ? "" : "s"}`;
}
