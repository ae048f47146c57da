/* HopRAG: a walk from passage to passage, joined by what one asks and the next answers. */

import { html } from "../html.js";
import { number, t } from "../words.js";
import { Cited } from "./basic.js";
import { Named, Part, Shortened, byId } from "./parts.js";

/* The picture of the walk: a tree whose branches are questions. */
export function Hoprag({ values, output, question, openDocument }) {
  const { hops = [], evidence = [] } = values;
  if (!hops.length) return null;
  const passages = byId(evidence);
  const arrivals = firstArrivals(hops);
  const given = { arrivals, passages, output, openDocument };
  const starts = ordered(arrivals.filter((hop) => !from(hop, arrivals)), passages, arrivals);
  const walked = hops.filter((hop) => hop.round > 0).length;
  return html`<${Part}>${t("walk")}</${Part}>
    <p class="small soft">${t("walk_size", { starts: starts.length, hops: walked, rounds: Math.max(...hops.map((hop) => hop.round)) })}</p>
    <div class="walk"><p class="walk-root">${question}</p>
      <${Shortened} items=${starts} most=${5} label=${t("walk")} show=${(hop) => html`<${Arrival} hop=${hop} ...${given} />`} />
    </div>`;
}

/* A passage that was reached, how, and where the walk went on from it. */
function Arrival({ hop, arrivals, passages, output, openDocument }) {
  const passage = passages.get(hop.target);
  const known = passage ?? told(hop);
  const further = ordered(arrivals.filter((one) => from(one, arrivals) === hop), passages, arrivals);
  return html`<div class=${passage ? "hop" : "hop dropped"} data-part="hop">
    <p class="edge small"><span class=${`chip label-${hop.label}`}>${t(`hop_${hop.label}`)}</span> ${said(hop)} ${hop.similarity > 0 && html`<span class="soft tiny">${number(hop.similarity, { maximumFractionDigits: 2 })}</span>`}</p>
    <p class="hop-passage"><${Named} passage=${known} openDocument=${openDocument} /> <${Cited} passage=${{ id: hop.target }} output=${output} /></p>
    ${further.length > 0 && html`<ol class="branches">${further.map((one) => html`<li><${Arrival} hop=${one} ...${{ arrivals, passages, output, openDocument }} /></li>`)}</ol>`}
  </div>`;
}

/* What the source asks and the target answers; where both are one question it is said once. */
function said({ raised, question }) {
  if (!question) return null;
  if (!raised || raised === question) return html`<span class="asks">${question}</span>`;
  return html`<span class="asks">${raised}</span><span class="arrow" aria-label="→"> → </span><span class="asks">${question}</span>`;
}

const told = (hop) => (hop.title || hop.words ? { title: hop.title, words: hop.words } : null);

/* The first arrival at each passage, which the walk goes on from. */
function firstArrivals(hops) {
  const seen = new Map();
  for (const hop of hops) if (!seen.has(hop.target)) seen.set(hop.target, hop);
  return [...seen.values()];
}

/* The arrival that a hop started from; the retrieval starts from none. */
function from(hop, arrivals) {
  if (hop.round === 0 || !hop.source) return null;
  return arrivals.find((one) => one.target === hop.source && one !== hop && one.round < hop.round) ?? null;
}

/* Those first that were kept, or lead to one that was, best first. */
function ordered(hops, passages, arrivals) {
  const places = [...passages.keys()];
  const place = (hop) => {
    const own = places.indexOf(hop.target);
    const below = arrivals.filter((one) => from(one, arrivals) === hop).map(place);
    return Math.min(own < 0 ? Infinity : own, ...below);
  };
  return hops.map((hop) => [place(hop), hop]).sort(([a], [b]) => (a === b ? 0 : a - b)).map(([, hop]) => hop);
}
