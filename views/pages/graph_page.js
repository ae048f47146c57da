
const KNOWN_KINDS = ["passage", "entity", "community", "document"];
const { directed, nodes, edges, path } = JSON.parse(byId("data").textContent);
const nodeOf = new Map(nodes.map((node) => [node.id, node]));
const kinds = [...new Set([...KNOWN_KINDS, ...nodes.map((node) => node.kind)])];

for (const node of nodes) node.slot = kinds.indexOf(node.kind);
prepare(nodes, edges);
const drawing = new Drawing(byId("drawing"), nodes, edges, directed);

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
  const cited = path && path.nodes.find(({ id }) => id === node.id);
  if (node.text) addText(node.text, cited ? cited.quotes : []);
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

function evidence(passage) {
  const parts = [reference(passage.id, passage.title)];
  for (const quote of passage.quotes) {
    const shown = element("p", "text quote");
    shown.append(element("mark", "", quote));
    parts.push(shown);
  }
  if (passage.text) {
    const whole = element("details");
    whole.append(element("summary", "aside", "The passage"));
    whole.append(markedText(passage.text, passage.quotes));
    parts.push(whole);
  }
  return pathItem(passage.at + 1, "evidence", ...parts);
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
    byId("panel").append(element("h2", "", path.question || "How the answer was found"));
    if (path.answer) byId("panel").append(element("p", "text answer", path.answer));
    addList("Evidence, best first", "ol", path.nodes.map((node, at) => ({ ...node, at })), evidence);
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
  if (node) reveal([node]);
  drawing.redraw();
  if (node) showNode(node);
  else showOverview();
  byId("panel").scrollTop = 0;
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
byId("size").textContent = `${plural(nodes.length, "node")}, ${plural(edges.length, "edge")}`;
listenToSearch();
listenToPointer(byId("drawing"));
listenToZoom(byId("drawing"));
listenToAlone();
showLegend();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showLegend);
showOverview();
drawing.resize();
followAddress();
addEventListener("hashchange", followAddress);
