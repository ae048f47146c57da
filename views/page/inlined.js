/* An exported page has no server: its data stand in it, and give the replies that a server would. */

import { patternOf } from "./patterns.js";

const element = document.getElementById("data");
const REACH = 10_000; // characters of a document on each side of a place
const MOST_FOUND = 300;
const MOST = 50; // where a request does not say how many
let opened;

/* Whether the page is such a file. */
export const isExport = Boolean(element);

/* The data of the page, as page_data.py makes them, with each list also by id. */
export function dataOfPage() {
  opened ??= read();
  return opened;
}

/* The reply of a route for the parameters; null where the page has none. */
export async function inlined(path, params) {
  const data = await dataOfPage();
  return ROUTES[path]?.(data, params) ?? null;
}

async function read() {
  const packed = Uint8Array.from(atob(element.textContent), (letter) => letter.charCodeAt(0));
  const text = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const data = await new Response(text).json();
  const { passages, entities, reports = [], graph } = data;
  return { ...data, passage: byId(passages), entity: byId(entities), report: byId(reports), node: byId(graph.nodes), near: neighbours(graph) };
}

const byId = (some) => new Map(some.map((one) => [one.id, one]));

const ROUTES = {
  "page/state": ({ state }) => state,
  "page/overview": ({ overview }) => overview,
  "page/documents": listed,
  "page/document": around,
  "page/words": standing,
  "page/passages": foundPassages,
  "page/entities": foundEntities,
  "page/entity": card,
  "page/corrections": () => ({ corrections: [] }),
  "page/graph": neighbourhood,
  "page/communities": (data, { orphans }) => (orphans && data.map_with_orphans) || data.map,
  "page/community": ({ report }, { id }) => report.get(id),
};

function listed({ documents }, { containing = "", most = MOST }) {
  const words = plain(containing);
  const found = documents.filter((one) => plain(`${one.title} ${one.id}`).includes(words));
  return { documents: found.slice(0, most), total: found.length, failures: [], waiting: [] };
}

function around({ documents, passages }, { id, at = 0 }) {
  const document = documents.find((one) => one.id === id);
  const all = passages.filter((one) => one.document === id);
  const pieces = all.filter((one) => one.end > at - REACH && one.start < at + REACH);
  if (!document || !pieces.length) return null;
  const [first, last] = [pieces[0], pieces.at(-1)];
  return {
    ...document,
    pieces: pieces.map(({ id: passage, start, end, text }) => ({ passage, start, end, text })),
    before: first !== all[0],
    after: last !== all.at(-1),
  };
}

/* Where words stand in a document. */
function standing({ passages }, { id, containing }) {
  const pattern = patternOf(containing);
  const of = (one) => [...one.text.matchAll(pattern)].map((match) => ({ start: one.start + match.index, end: one.start + match.index + match[0].length }));
  return { found: passages.filter((one) => one.document === id).flatMap(of).slice(0, MOST_FOUND) };
}

/* The passages with the words in a row, then those with all of them. */
function foundPassages({ passages }, { containing = "", most = MOST }) {
  const words = plain(containing);
  if (!words) return { passages: passages.slice(0, most).map((one) => ({ ...one, exact: false })) };
  const each = words.split(" ");
  const exact = [];
  const near = [];
  for (const one of passages) {
    const text = plain(`${one.title}\n${one.text}`);
    if (text.includes(words)) exact.push({ ...one, exact: true });
    else if (each.every((word) => text.includes(word))) near.push({ ...one, exact: false });
  }
  return { passages: [...exact, ...near].slice(0, most) };
}

/* The entities with the words in a name: those called so first, the others by their passages. */
function foundEntities({ entities }, { containing = "", most = MOST }) {
  const words = plain(containing);
  const names = (one) => [one.name, ...one.aliases].map(plain);
  const found = entities.filter((one) => names(one).some((name) => name.includes(words)));
  const isSo = (one) => names(one).includes(words);
  const ordered = [...found.filter(isSo), ...found.filter((one) => !isSo(one))];
  const row = ({ id, name, type, description, passage_count: passages }) => ({ id, name, type, description, passages });
  return { entities: ordered.slice(0, most).map(row) };
}

const plain = (text) => text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();

function card({ entity, passage }, { id }) {
  const found = entity.get(id);
  return found && { ...found, passages: found.passages.map((one) => passage.get(one)).filter(Boolean) };
}

/* A node with its neighbours and all edges among them; without one, the nodes to begin with. */
function neighbourhood(data, { around: id, most = MOST }) {
  const { graph, node, near } = data;
  if (id && !node.has(id)) return null;
  const others = id ? near.get(id) ?? [] : [];
  const ids = new Set(id ? [id, ...others.slice(0, most)] : graph.beginning);
  const nodes = [...ids].filter((one) => node.has(one)).map((one) => whole(data, node.get(one)));
  const edges = graph.edges.filter((edge) => ids.has(edge.source) && ids.has(edge.target));
  return { nodes, edges, more: Math.max(0, others.length - most) };
}

function whole({ passage }, node) {
  if (node.kind !== "passage") return node;
  const { id, text, document, title, start, end } = passage.get(node.id);
  return { ...node, text, citation: { passage: id, document, title, start, end, quote: text } };
}

/* The neighbours of each node: those that it is related to and those that it is mentioned with in
   turns, so that neither crowd the others out. */
function neighbours({ edges }) {
  const found = new Map();
  const add = (from, to, kind) => {
    if (!found.has(from)) found.set(from, [new Set(), new Set()]);
    found.get(from)[kind === "mention" ? 1 : 0].add(to);
  };
  for (const { source, target, kind } of edges) {
    add(source, target, kind);
    add(target, source, kind);
  }
  const inTurns = ([related, mentioned]) => {
    const [first, second] = [[...related], [...mentioned]];
    const all = Array.from({ length: Math.max(first.length, second.length) }, (_, at) => [first[at], second[at]]);
    return [...new Set(all.flat().filter((one) => one !== undefined))];
  };
  return new Map([...found].map(([id, kinds]) => [id, inTurns(kinds).filter((one) => one !== id)]));
}
