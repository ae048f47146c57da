
const NAMED = 8;
const GOLDEN_ANGLE = 137.508;
const MARGIN = 14;
const { nodes, edges, communities, passages } = JSON.parse(byId("data").textContent);
const nodeOf = new Map(nodes.map((node) => [node.id, node]));
const communityOf = new Map(communities.map((one) => [one.id, one]));
const passageOf = new Map(passages.map((passage) => [passage.id, passage]));
const deepest = communities.reduce((most, one) => Math.max(most, one.level), 0);
const shown = { level: 0, community: null };

for (const node of nodes) Object.assign(node, { slot: 0, path: [] });
prepare(nodes, edges);
for (const one of communities) {
  one.above = communities[one.parent] || null;
  one.children = [];
  one.members = one.members.map((number) => nodes[number]);
  one.words = [one.title, one.summary, ...one.findings.map((found) => found.statement)];
  one.textKey = comparable(one.words.join("\n"));
}
for (const one of [...communities].sort((a, b) => a.level - b.level)) {
  if (one.above) one.above.children.push(one);
  for (const node of one.members) node.path.push(one);
}
const drawing = new Drawing(byId("drawing"), nodes, edges, false);

/** The community of a node at a level; a leaf above stands for itself. */
function communityAt(node, level) {
  return node.path[Math.min(level, node.path.length - 1)];
}

function bySize(list) {
  return [...list].sort((a, b) => b.members.length - a.members.length);
}

function nameOf(one) {
  if (one.title) return one.title;
  const hubs = [...one.members].sort((a, b) => b.edges.length - a.edges.length);
  return hubs.slice(0, 3).map(titleOf).join(", ");
}

/** Gives every community of the level a colour, the larger ones first; lone entities have none. */
function setLevel(level) {
  shown.level = level;
  byId("level").value = String(level);
  const standing = bySize(new Set(nodes.map((node) => communityAt(node, level)).filter(Boolean)));
  standing.forEach((one, at) => {
    const hue = (210 + at * GOLDEN_ANGLE) % 360;
    one.colour = one.members.length > 1 ? `hsl(${hue.toFixed(0)} 50% 52%)` : "";
    one.slot = at;
  });
  for (const node of nodes) {
    const one = communityAt(node, level);
    node.colour = one && one.colour;
    node.slot = one && one.colour ? one.slot : 4;
  }
  const large = standing.filter((one) => one.members.length > 1);
  drawing.drawBelow = (pen) => large.forEach((one) => drawHull(pen, one));
  const rows = large.slice(0, NAMED).map((one) => item(swatch(one.colour), communityButton(one)));
  const rest = standing.length - rows.length;
  if (rest) rows.push(item(element("span", "aside", `and ${rest.toLocaleString("en")} more`)));
  byId("legend").replaceChildren(...rows);
  drawing.redraw();
}

/** Fills the area of a community, below its edges and entities. */
function drawHull(pen, one) {
  one.hull ??= convexHull(one.members.flatMap(around));
  const strength = drawing.group && one !== shown.community ? 0.4 : 1;
  pen.beginPath();
  for (const point of one.hull) pen.lineTo(...drawing.place(point));
  pen.closePath();
  pen.fillStyle = pen.strokeStyle = one.colour;
  pen.lineWidth = 1;
  pen.globalAlpha = 0.12 * strength;
  pen.fill();
  pen.globalAlpha = 0.6 * strength;
  pen.stroke();
  pen.globalAlpha = 1;
}

/** Points around a node, so that it lies within the area and not on its edge. */
function around({ x, y }) {
  const turns = Array.from({ length: 12 }, (_, at) => (at * Math.PI) / 6);
  return turns.map((turn) => ({ x: x + MARGIN * Math.cos(turn), y: y + MARGIN * Math.sin(turn) }));
}

/** The corners of the smallest convex area that holds all points (Andrew's algorithm). */
function convexHull(points) {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  const turn = (a, b, c) => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  const half = (list) => {
    const kept = [];
    for (const point of list) {
      while (kept.length > 1 && turn(kept.at(-2), kept.at(-1), point) <= 0) kept.pop();
      kept.push(point);
    }
    return kept.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

function swatch(colour) {
  const made = element("span", "swatch");
  made.style.background = colour || "var(--kind-4)";
  return made;
}

function communityButton(one, text = nameOf(one)) {
  const button = element("button", "link", text);
  button.type = "button";
  button.addEventListener("click", () => {
    choose(one);
    byId("panel").focus();
  });
  return button;
}

function choose(one) {
  shown.community = one;
  drawing.group = one ? new Set(one.members) : null;
  if (one && shown.level < one.level) setLevel(one.level);
  if (one) reveal(one.members);
  if (one) drawing.show(one.members, 1.6);
  else drawing.showAll();
  select(null);
}

function select(node) {
  drawing.selected = node;
  drawing.hovered = null;
  if (node) reveal([node]);
  drawing.redraw();
  if (node) showNode(node);
  else if (shown.community) showCommunity(shown.community);
  else showOverview();
  byId("panel").scrollTop = 0;
}

function trail(path, last) {
  const made = element("p", "trail");
  const back = element("button", "link", "Overview");
  back.type = "button";
  back.addEventListener("click", () => choose(null));
  made.append(back);
  for (const one of path) made.append("›", communityButton(one));
  if (last) made.append("›", element("span", "", last));
  return made;
}

function entities(count) {
  return count === 1 ? "1 entity" : `${count.toLocaleString("en")} entities`;
}

function ancestors(one) {
  return one.above ? [...ancestors(one.above), one.above] : [];
}

function treeItem(one) {
  const count = element("span", "aside", ` ${entities(one.members.length)}`);
  if (!one.children.length) return item(box(communityButton(one), count));
  const made = document.createElement("details");
  const line = document.createElement("summary");
  line.append(communityButton(one), count);
  made.append(line);
  made.addEventListener("toggle", () => {
    if (made.children.length > 1) return;
    const list = element("ul");
    list.append(...bySize(one.children).map(treeItem));
    made.append(list);
  });
  return item(made);
}

function showOverview() {
  const roots = bySize(communities.filter((one) => !one.above));
  const hint = "Choose a community here or in the legend, or an entity in the drawing.";
  byId("panel").replaceChildren(
    element("h2", "", "Communities"), element("p", "hint", hint),
  );
  const large = roots.filter((one) => one.members.length > 1);
  addList(`Level 0 (${roots.length.toLocaleString("en")})`, "ul", large, treeItem);
  const alone = roots.filter((one) => one.members.length < 2);
  addList(`Of one entity (${alone.length.toLocaleString("en")})`, "ul", alone, treeItem);
}

function findingItem(found) {
  const parts = [element("p", "", found.statement)];
  const known = found.passages.map((id) => passageOf.get(id)).filter(Boolean);
  if (known.length) {
    const more = document.createElement("details");
    more.append(element("summary", "aside", plural(known.length, "passage")));
    for (const passage of known) {
      const quote = element("blockquote");
      quote.append(element("p", "aside", passage.title), element("p", "text", passage.text));
      more.append(quote);
    }
    parts.push(more);
  }
  return item(box(...parts));
}

function showCommunity(one) {
  const facts = [`level ${one.level}`, entities(one.members.length)];
  if (one.title) facts.push(`rating ${figure(one.rating)} of 10`);
  byId("panel").replaceChildren(
    trail(ancestors(one)), element("h2", "", nameOf(one)), element("p", "aside", facts.join(" · ")),
  );
  if (one.summary) addText(one.summary);
  if (!one.title) byId("panel").append(element("p", "hint", "It has no report."));
  addList("Findings", "ul", one.findings, findingItem);
  addList(`Parts (${one.children.length})`, "ul", bySize(one.children), treeItem);
  const sorted = [...one.members].sort((a, b) => b.edges.length - a.edges.length);
  addList(`Entities (${sorted.length})`, "ul", sorted, (node) =>
    item(box(nodeButton(node), element("p", "aside", node.kind))));
}

function showNode(node) {
  byId("panel").replaceChildren(
    trail(node.path), element("div", "kind", node.kind), element("h2", "", titleOf(node)),
  );
  if (node.text) addText(node.text);
  const sorted = [...node.edges].sort((a, b) => b.weight - a.weight);
  addList(`Connected with (${sorted.length})`, "ul", sorted, (edge) => edgeItem(edge, node));
}

/** Lists the reports that hold the words that are looked for. */
function showFoundReports() {
  const found = communities.filter((one) => one.title && one.textKey.includes(searched.words));
  if (!searched.words || !found.length) return;
  byId("panel").replaceChildren(trail([], "Search"));
  addList(`Reports that say so (${found.length})`, "ul", found, (one) =>
    item(swatch(one.colour), box(communityButton(one))));
}

function listenToLevel() {
  const levels = Array.from({ length: deepest + 1 }, (_, level) => {
    const option = element("option", "", String(level));
    option.value = String(level);
    return option;
  });
  byId("level").append(...levels);
  byId("level").addEventListener("change", (event) => setLevel(Number(event.target.value)));
}

/** `#community=id`, `#level=1`, `#search=words` and `#node=id` choose what is shown. */
function followAddress() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const level = Number(wanted.get("level"));
  if (wanted.has("level") && level >= 0 && level <= deepest) setLevel(Math.floor(level));
  if (communityOf.has(wanted.get("community"))) choose(communityOf.get(wanted.get("community")));
  if (wanted.has("search")) {
    byId("search").value = wanted.get("search");
    search(wanted.get("search"));
    showFoundReports();
  }
  const node = nodeOf.get(wanted.get("node"));
  if (!node) return;
  drawing.centre(node);
  select(node);
}

byId("title").lang = languageOf(document.title) || "en";
const counted = communities.length === 1 ? "1 community" : `${communities.length} communities`;
byId("size").textContent = `${entities(nodes.length)}, ${counted}`;
listenToSearch();
byId("search").addEventListener("input", showFoundReports);
listenToPointer(byId("drawing"));
listenToZoom(byId("drawing"));
listenToAlone();
listenToLevel();
setLevel(0);
showOverview();
drawing.resize();
followAddress();
addEventListener("hashchange", followAddress);
