/* HopRAG: a walk from passage to passage, joined by what one asks and the next answers. */

import { html } from "../html.js";
import { languageOf, number, t } from "../words.js";
import { Cited } from "./basic.js";
import { Named, Part, Shortened, byId } from "./parts.js";

/* The picture of the walk: a tree whose branches are questions. */
export function Hoprag({ values, output, question, openDocument }) {
  const { hops = [], evidence = [] } = values;
  if (!hops.length) return null;
  const walk = walked(hops, evidence);
  const given = { places: byId(values), kept: new Set(evidence.map((one) => one.id)), output, openDocument };
  const show = (hop) => html`<${Arrival} hop=${hop} walk=${walk} ...${given} />`;
  const size = {
    starts: walk.from(null).length,
    hops: hops.filter((hop) => hop.round > 0).length,
    rounds: Math.max(...hops.map((hop) => hop.round)),
  };
  return html`<${Part}>${t("walk")}</${Part}>
    <p class="small soft">${t("walk_size", size)}</p>
    <div class="walk"><p class="walk-root" lang=${languageOf(question)}>${question}</p>
      <${Shortened} items=${walk.from(null)} most=${5} label=${t("walk")} show=${show} />
    </div>`;
}

/* A passage that was reached, how, and where the walk went on from it. */
function Arrival({ hop, walk, ...given }) {
  const { places, kept, output, openDocument } = given;
  const passage = placeOf(hop, places);
  const further = walk.from(hop);
  const near = hop.similarity >= 0.005 && number(hop.similarity, { maximumFractionDigits: 2 });
  return html`<div class=${!kept.size || kept.has(hop.target) ? "hop" : "hop dropped"} data-part="hop">
    <p class="hop-edge small"><span class=${`chip label-${hop.label}`}>${t(`hop_${hop.label}`)}</span> ${said(hop)} ${near && html`<span class="soft tiny">${near}</span>`}</p>
    <p class="hop-passage"><${Named} passage=${passage} openDocument=${openDocument} /> <${Cited} passage=${{ id: hop.target }} output=${output} /></p>
    ${further.length > 0 && html`<ol class="branches">
      ${further.map((one) => html`<li><${Arrival} hop=${one} walk=${walk} ...${given} /></li>`)}
    </ol>`}
  </div>`;
}

/* What the source asks and the target answers; where both are one question it is said once. */
function said({ raised, question }) {
  if (!question) return null;
  if (!raised || raised === question) return html`<span class="hop-asks" lang=${languageOf(question)}>${question}</span>`;
  return html`<span class="hop-asks" lang=${languageOf(raised)}>${raised}</span><span class="arrow" aria-label="→"> → </span><span class="hop-asks" lang=${languageOf(question)}>${question}</span>`;
}

/* The passage that a hop reached: its evidence, else what the hop tells of it. */
function placeOf({ target, title, document, start, words }, places) {
  const known = places.get(target);
  return known || document ? { title, document, start, words, ...known, id: target } : null;
}

/* The walk as a tree: `from(hop)` are the hops of the next round that start where `hop` arrived,
   `from(null)` those that begin. A passage that several hops of a round reach goes on from the
   first. Those that lead on come first, then those that lead to better evidence. */
function walked(hops, evidence) {
  const first = new Map();
  for (const hop of hops) {
    const key = `${hop.round} ${hop.round ? hop.source : ""} ${hop.target}`;
    if (!first.has(key)) first.set(key, hop);
  }
  const edges = [...first.values()];
  const arrivals = new Map();
  for (const hop of edges) {
    const key = `${hop.round} ${hop.target}`;
    if (!arrivals.has(key)) arrivals.set(key, hop);
  }
  const leads = (hop) => edges.filter((one) => one.round > 0 && arrivals.get(`${one.round - 1} ${one.source}`) === hop);
  const places = new Map(evidence.map((one, place) => [one.id, place]));
  const rank = (hop) => Math.min(places.get(hop.target) ?? Infinity, ...leads(hop).map(rank));
  const ordered = (some) => {
    const ranked = some.map((hop) => ({ hop, ends: !leads(hop).length, rank: rank(hop) }));
    return ranked.sort((a, b) => a.ends - b.ends || (a.rank === b.rank ? 0 : a.rank - b.rank)).map(({ hop }) => hop);
  };
  const starts = edges.filter((one) => !one.round || !arrivals.has(`${one.round - 1} ${one.source}`));
  return { from: (hop) => ordered(hop ? leads(hop) : starts) };
}
