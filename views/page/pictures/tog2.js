/* ToG-2: relations that were walked from entity to entity, with the sentences that state them. */

import { html } from "../html.js";
import { t } from "../words.js";
import { Opens, Part, Shortened, byId } from "./parts.js";

/* The picture of the walk over the entity graph. */
export function Tog2({ values, openDocument }) {
  const { topics = [], paths = [], clues = [], evidence = [] } = values;
  const passages = byId(evidence);
  const rounds = [...new Set(paths.map((one) => one.round))].sort((a, b) => a - b);
  const show = (path) => html`<${Path} path=${path} passages=${passages} openDocument=${openDocument} />`;
  return html`
    ${topics.length > 0 && html`<${Part}>${t("topics")}</${Part}>
      <ul class="topics">${topics.map((one) => html`<li class="entity start">${one.name}</li>`)}</ul>`}
    ${rounds.map((round) => html`<${Part}>${t("round", { n: round })}</${Part}>
      <${Shortened} items=${paths.filter((one) => one.round === round)} most=${6} show=${show} label=${t("round", { n: round })} />`)}
    ${clues.length > 0 && html`<${Part}>${t("clues")}</${Part}><ul class="queries">${clues.map((one) => html`<li>${one}</li>`)}</ul>`}
  `;
}

function Path({ path, passages, openDocument }) {
  return html`<div class="triples" data-part="path">
    ${path.triples.map((triple) => html`<${Triple} triple=${triple} passage=${passages.get(triple.passage)} openDocument=${openDocument} />`)}
  </div>`;
}

/* Two entities and the relation between them, above the sentence that states it. */
function Triple({ triple, passage, openDocument }) {
  const at = passage?.text && triple.quote ? passage.text.indexOf(triple.quote) : -1;
  const start = (passage?.start ?? 0) + Math.max(at, 0);
  const known = passage ?? (triple.document ? { ...triple, id: triple.passage } : null);
  const quote = known && { document: known.document, title: known.title, start: at < 0 ? known.start : start, end: at < 0 ? undefined : start + triple.quote.length, quote: triple.quote };
  return html`<div class="triple" data-part="triple">
    <p><span class="entity">${triple.source_name}</span><span class="relation">${triple.relation}</span><span class="entity">${triple.target_name}</span></p>
    ${triple.quote && html`<p class="small soft said"><${Opens} passage=${known} quote=${quote} openDocument=${openDocument}>${triple.quote}</${Opens}></p>`}
  </div>`;
}
