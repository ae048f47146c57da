/* The graph of passages, entities and names: one node with its neighbours, and on from each. */

import { getJson } from "./api.js";
import { DrawingView } from "./drawing.js";
import { graphScene, typesOf } from "./graph_scene.js";
import { html, useEffect, useMemo, useRef, useState } from "./html.js";
import { Missing, openingOf, SearchField, Trouble, useReply, useSettled } from "./looking.js";
import { placeOf } from "./places.js";
import { languageOf, t } from "./words.js";

const MOST = 24;
const EMPTY = { nodes: [], edges: [], opened: {} };

const JOINING = ["sentences", "hops", "entities"];

/* The view of the graph; the address names the node to begin with. */
export function GraphWalk(given) {
  const isJoined = JOINING.some((layer) => given.server.layers.includes(layer));
  return isJoined ? html`<${Walk} ...${given} />` : html`<${Missing} server=${given.server} sentence=${t("x_unjoined")} />`;
}

function Walk({ index, path, openDocument }) {
  const [begin = ""] = path;
  const [walk, problem, expand] = useWalk(index, begin);
  const [chosen, setChosen] = useState(begin);
  const [orphans, setOrphans] = useState(false);
  useEffect(() => setChosen(begin), [begin]);
  const alone = useMemo(() => unrelated(walk), [walk]);
  const shown = useMemo(
    () => (orphans ? walk.nodes : walk.nodes.filter((node) => !alone.has(node.id) || node.id === begin)),
    [walk, orphans],
  );
  const places = useRef(new Map());
  const scene = useMemo(() => graphScene(shown, walk.edges, places.current), [shown, walk.edges]);
  const choose = (id) => {
    setChosen(id);
    if (id && !(id in walk.opened)) expand(id);
  };
  const node = walk.nodes.find((one) => one.id === chosen);
  return html`<div class=${`map-view${node ? " chosen" : ""}`}>
    <${DrawingView} scene=${scene} chosen=${chosen} onChoose=${choose} label=${t("x_graph_label", { n: shown.length })} />
    <aside class="map-side" aria-label=${t("x_graph")}>
      <${Search} index=${index} />
      ${problem && html`<${Trouble} problem=${problem} />`}
      ${node && html`<${NodeCard} node=${node} walk=${walk} choose=${choose} openDocument=${openDocument} />`}
      ${!node && html`<p class="small soft">${t("x_graph_help")}</p>`}
      ${alone.size > 0 &&
      html`<label class="check"><input type="checkbox" checked=${orphans} onChange=${(event) => setOrphans(event.target.checked)} />
        <span>${t("x_alone", { n: alone.size })}</span></label>`}
      <${Legend} nodes=${shown} />
      <${NodeList} nodes=${shown} chosen=${chosen} choose=${choose} opened=${walk.opened} />
    </aside>
  </div>`;
}

/* The nodes walked through so far: [{nodes, edges, opened}, problem, expand]. */
function useWalk(index, begin) {
  const [walk, setWalk] = useState(EMPTY);
  const [problem, setProblem] = useState("");
  const expand = async (around, from) => {
    try {
      const part = await getJson("page/graph", { index, around, most: MOST });
      setWalk((before) => joined(from ?? before, part, around));
      setProblem("");
    } catch (error) {
      setProblem(error.message);
    }
  };
  useEffect(() => void expand(begin, EMPTY), [index, begin]);
  return [walk, problem, expand];
}

function joined(walk, part, around) {
  const nodes = new Map(walk.nodes.map((node) => [node.id, node]));
  for (const node of part.nodes) if (!nodes.has(node.id)) nodes.set(node.id, node);
  const edges = new Map(walk.edges.map((edge) => [edge.id, edge]));
  for (const edge of part.edges) {
    const id = `${edge.source} ${edge.target} ${edge.kind} ${edge.label}`;
    edges.set(id, { ...edge, id });
  }
  const opened = around ? { ...walk.opened, [around]: part.more } : walk.opened;
  return { nodes: [...nodes.values()], edges: [...edges.values()], opened };
}

function unrelated({ nodes, edges }) {
  const ends = new Set(edges.flatMap((edge) => [edge.source, edge.target]));
  return new Set(nodes.filter((node) => !ends.has(node.id)).map((node) => node.id));
}

/* Searching for a node to begin with: entities and passages with the very words first. */
function Search({ index }) {
  const [words, setWords] = useState("");
  const settled = useSettled(words.trim());
  const asked = { index, containing: settled, most: 6 };
  const [entities] = useReply("page/entities", asked, Boolean(settled));
  const [passages] = useReply("page/passages", asked, Boolean(settled));
  const found = settled
    ? [
        ...(entities?.entities ?? []).map((one) => ({ ...one, kind: "entity" })),
        ...(passages?.passages ?? []).map((one) => ({ ...one, kind: "passage", name: one.text })),
      ]
    : [];
  const exact = (one) => one.exact || one.name.toLowerCase() === settled.toLowerCase();
  const ordered = [...found.filter(exact), ...found.filter((one) => !exact(one))].slice(0, 10);
  return html`<${SearchField} label=${t("x_search_graph")} value=${words} onInput=${setWords} told=${settled ? t("x_found", { n: ordered.length }) : ""} />
    ${ordered.length > 0 &&
    html`<ul class="rows" data-part="graph-found">
      ${ordered.map(
        (one) => html`<li key=${one.id}><a class="row" href=${placeOf("graph", one.id)} onClick=${() => setWords("")}>
          <span class="row-name one-line" lang=${languageOf(one.name)}><${Sign} kind=${one.kind} /> ${one.name}</span>
        </a></li>`,
      )}
    </ul>`}`;
}

const Sign = ({ kind, colour }) =>
  html`<span class=${`sign sign-${kind}${colour === undefined ? "" : ` type-${colour + 1}`}`} role="img" aria-label=${t(`kind_${kind}`)}></span>`;

/* The types by their colours, and the other kinds by their forms. */
function Legend({ nodes }) {
  const kinds = [...new Set(nodes.map((node) => node.kind))];
  const types = typesOf(nodes);
  const shown = types.size ? kinds.filter((kind) => kind !== "entity") : kinds;
  return html`<p class="legend small soft">
    ${[...types].map(([type, colour]) => html`<span key=${type} lang=${languageOf(type)}><i class=${`sign type-${colour + 1}`} aria-hidden="true"></i> ${type}</span>`)}
    ${types.size > 0 && nodes.some((one) => one.kind === "entity" && !one.type) && html`<span><i class="sign type-7" aria-hidden="true"></i> ${t("x_untyped")}</span>`}
    ${shown.map((kind) => html`<span key=${kind}><${Sign} kind=${kind} /> ${t(`kind_${kind}`)}</span>`)}
  </p>`;
}

/* What the chosen node is, and where its edges lead. */
function NodeCard({ node, walk, choose, openDocument }) {
  const names = new Map(walk.nodes.map((one) => [one.id, one.label]));
  const edges = walk.edges.filter((edge) => edge.source === node.id || edge.target === node.id);
  const more = walk.opened[node.id] ?? 0;
  return html`<article class="node-card" data-part="node">
    <h2 lang=${languageOf(node.label)}>${node.label}</h2>
    ${node.type && html`<p class="small soft">${node.type}</p>`}
    ${node.text && html`<p class="node-text" lang=${languageOf(node.text)}>${node.text}</p>`}
    <p class="line links">
      ${node.kind === "entity" && html`<a href=${placeOf("entities", node.id)}>${t("x_all_of_it")}</a>`}
      ${node.kind === "passage" &&
      html`<button class="button" type="button" onClick=${() => openDocument(openingOf({ ...node.citation, text: node.text }))}>${t("x_open")}</button>`}
    </p>
    ${edges.length > 0 && html`<h3>${t("x_edges", { n: edges.length })}</h3>`}
    <ul class="edges">
      ${edges.map((edge) => {
        const other = edge.source === node.id ? edge.target : edge.source;
        const way = edge.label === "" ? "" : edge.source === node.id ? "→" : "←";
        return html`<li key=${edge.id}><button class="edge" type="button" onClick=${() => choose(other)}>
          <span class="soft">${way} ${edge.label || t(`x_${edge.kind}`)}</span> <span lang=${languageOf(names.get(other))}>${names.get(other)}</span>
        </button></li>`;
      })}
    </ul>
    ${more > 0 && html`<p class="small soft">${t("x_more_neighbours", { n: more })}</p>`}
  </article>`;
}

/* Every node as a button: the drawing for those who cannot see it or do not point. */
function NodeList({ nodes, chosen, choose, opened }) {
  const types = typesOf(nodes);
  const colour = (node) => (node.kind === "entity" && types.size ? types.get(node.type) ?? 6 : undefined);
  return html`<details class="node-list" open>
    <summary>${t("x_nodes", { n: nodes.length })}</summary>
    <ul class="rows" data-part="node-list">
      ${nodes.map(
        (node) => html`<li key=${node.id}>
          <button class="row" type="button" aria-pressed=${`${node.id === chosen}`} aria-expanded=${`${node.id in opened}`} onClick=${() => choose(node.id)}>
            <span class="row-name one-line" lang=${languageOf(node.label)}><${Sign} kind=${node.kind} colour=${colour(node)} /> ${node.label}</span>
          </button>
        </li>`,
      )}
    </ul>
  </details>`;
}
