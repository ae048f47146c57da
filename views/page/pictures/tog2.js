/* ToG-2: relations that were walked from entity to entity, with the sentences that state them. */

import { html } from "../html.js";
import { languageOf, t } from "../words.js";
import { Opens, Part, Shortened, byId } from "./parts.js";

/* The picture of the walk over the entity graph. */
export function Tog2({ values, openDocument }) {
  const { topics = [], paths = [], clues = [] } = values;
  const places = byId(values);
  const show = (step) => html`<${Step} step=${step} places=${places} openDocument=${openDocument} />`;
  return html`
    ${topics.length > 0 && html`<${Part}>${t("topics")}</${Part}>
      <ul class="topics">${topics.map((one) => html`<li class="entity start" lang=${languageOf(one.name)}>${one.name}</li>`)}</ul>`}
    ${paths.length > 0 && html`<${Part}>${t("paths")}</${Part}>
      <${Shortened} items=${joined(paths)} most=${6} show=${show} label=${t("paths")} />`}
    ${clues.length > 0 && html`<${Part}>${t("clues")}</${Part}><ul class="queries">${clues.map((one) => html`<li lang=${languageOf(one)}>${one}</li>`)}</ul>`}
  `;
}

/* The paths as trees of triples {triple, further}: those that begin alike share their beginning. */
function joined(paths) {
  const roots = [];
  for (const { triples } of paths) {
    let level = roots;
    for (const triple of triples) {
      const known = level.find((one) => sameTriple(one.triple, triple));
      const step = known ?? { triple, further: [] };
      if (!known) level.push(step);
      level = step.further;
    }
  }
  return roots;
}

const sameTriple = (one, other) => ["source", "relation", "target"].every((end) => one[end] === other[end]);

/* A triple, and those that were walked from its end. */
function Step({ step, ...given }) {
  const { triple, further } = step;
  return html`<div data-part="path">
    <${Triple} triple=${triple} passage=${given.places.get(triple.passage)} openDocument=${given.openDocument} />
    ${further.length > 0 && html`<ol class="branches">${further.map((one) => html`<li><${Step} step=${one} ...${given} /></li>`)}</ol>`}
  </div>`;
}

/* Two entities and the relation between them, above the sentence that states it. */
function Triple({ triple, passage, openDocument }) {
  const known = passage ?? (triple.document ? { ...triple, id: triple.passage } : null);
  const place = known && quoted(known, triple.quote);
  return html`<div class="walked-triple" data-part="triple">
    <p lang=${languageOf([triple.source_name, triple.relation, triple.target_name].join(" "))}><span class="entity">${triple.source_name}</span> <span class="relation">${triple.relation}</span> <span class="entity">${triple.target_name}</span></p>
    ${triple.quote && html`<p class="small soft said"><${Opens} passage=${known} quote=${place} openDocument=${openDocument}>${triple.quote}</${Opens}></p>`}
  </div>`;
}

/* The place of a sentence in its passage; the reader finds it where only the passage is known. */
function quoted(passage, quote) {
  const at = passage.text?.indexOf(quote) ?? -1;
  const start = passage.start + Math.max(at, 0);
  return { ...passage, start, end: at < 0 ? undefined : start + quote.length, quote };
}
