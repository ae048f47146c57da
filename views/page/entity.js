/* One entity: names, relations with their sentences, claims, passages, and how it is corrected. */

import { html, useState } from "./html.js";
import { isExport } from "./inlined.js";
import { Cited, openingOf, SearchField, Trouble, useReply, useSettled } from "./looking.js";
import { placeOf } from "./places.js";
import { languageOf, t } from "./words.js";

const FEW = 12;

/* All that is known of the entity `id`; `correct` has merge, split and undo. */
export function EntityCard({ id, index, server, changes, correct, openDocument }) {
  const [found, problem, again] = useReply("page/entity", { index, id, changes });
  if (problem) return html`<${Trouble} problem=${problem} again=${again} />`;
  if (!found) return html`<p class="soft">${t("loading")}</p>`;
  const others = found.aliases.filter((alias) => alias !== found.name);
  return html`<article class="entity-card" data-part="entity">
    <header>
      <h2 lang=${languageOf(found.name)}>${found.name} ${found.type && html`<span class="chip">${found.type}</span>`}</h2>
      ${others.length > 0 && html`<p class="small soft">${t("x_also", { names: others.join(", ") })}</p>`}
      ${found.description && html`<p lang=${languageOf(found.description)}>${found.description}</p>`}
      <p class="line links">
        <a href=${placeOf("graph", id)}>${t("x_in_graph")}</a>
        ${found.communities.slice(-1).map((one) => html`<a href=${placeOf("communities", one.id)}>${one.title || t("x_community")}</a>`)}
      </p>
    </header>
    <${Listed} title=${t("x_relations", { n: found.relation_count })} items=${found.relations} part="relations"
      row=${(one) => html`<${Relation} one=${one} id=${id} openDocument=${openDocument} />`} />
    <${Listed} title=${t("x_claims", { n: found.claims.length })} items=${found.claims} part="claims"
      row=${(one) => html`<p lang=${languageOf(one.told)}>${one.told}</p><${Cited} citation=${one.citation} openDocument=${openDocument} />`} />
    <${Listed} title=${t("x_passages_of", { n: found.passage_count })} items=${found.passages} part="passages"
      row=${(one) => html`<${Spoken} one=${one} openDocument=${openDocument} />`} />
    <${Correcting} found=${found} index=${index} server=${server} correct=${correct} />
  </article>`;
}

/* A titled list, of which the first items show at once. */
function Listed({ title, items, row, part }) {
  const [all, setAll] = useState(false);
  if (!items.length) return null;
  return html`<section data-part=${part}>
    <h3>${title}</h3>
    <ul class="facts">${(all ? items : items.slice(0, FEW)).map((one, at) => html`<li key=${at}>${row(one)}</li>`)}</ul>
    ${items.length > FEW &&
    html`<button class="button quiet" type="button" aria-expanded=${`${all}`} onClick=${() => setAll(!all)}>
      ${all ? t("less") : t("x_show_all", { n: items.length })}
    </button>`}
  </section>`;
}

function Relation({ one, id, openDocument }) {
  const end = (to, name) => (to === id ? html`<b>${name}</b>` : html`<a href=${placeOf("entities", to)}>${name}</a>`);
  return html`<p class="triple" lang=${languageOf([one.source_name, one.relation, one.target_name].join(" "))}>${end(one.source, one.source_name)} ${one.relation} ${end(one.target, one.target_name)}</p>
    <${Cited} citation=${one.citation} openDocument=${openDocument} />`;
}

function Spoken({ one, openDocument }) {
  const open = () => openDocument(openingOf(one));
  return html`<${Cited} citation=${{ ...one, quote: one.text }} openDocument=${open} />`;
}

/* Merging with another entity, and keeping apart what was merged; or why neither is possible. */
function Correcting({ found, index, server, correct }) {
  if (isExport && !found.merges.length) return null;
  return html`<section data-part="correcting">
    <h3>${t("x_correct")}</h3>
    ${found.merges.length > 0 &&
    html`<ul class="facts">
      ${found.merges.map(
        (one) => html`<li class="line spread" key=${one.merged_id}>
          <span>${t("x_taken_for", { name: one.merged, reason: t(`reason_${one.reason}`) })}</span>
          ${server.corrections &&
          html`<button class="button" type="button" disabled=${correct.busy}
            onClick=${() => correct.split({ id: one.merged_id, name: one.merged }, { id: one.kept_id, name: one.kept })}>
            ${t("x_split")}
          </button>`}
        </li>`,
      )}
    </ul>`}
    ${server.corrections
      ? html`<${Merging} found=${found} index=${index} correct=${correct} />`
      : !isExport && html`<p class="small soft">${t("x_no_corrections")}</p>`}
  </section>`;
}

/* Choosing another entity that is this one, too. */
function Merging({ found, index, correct }) {
  const [words, setWords] = useState("");
  const settled = useSettled(words.trim());
  const [reply] = useReply("page/entities", { index, containing: settled, most: 8 }, Boolean(settled));
  const others = settled ? (reply?.entities ?? []).filter((one) => one.id !== found.id) : [];
  return html`<div class="merging">
    <p class="small soft">${t("x_merge_help", { name: found.name })}</p>
    <${SearchField} label=${t("x_merge_with")} value=${words} onInput=${setWords} told=${settled ? t("x_found", { n: others.length }) : ""} />
    <ul class="rows">
      ${others.map(
        (one) => html`<li class="line spread" key=${one.id}>
          <span>${one.name} ${one.type && html`<span class="chip">${one.type}</span>`}</span>
          <button class="button" type="button" disabled=${correct.busy} aria-label=${t("x_merge_these", { a: one.name, b: found.name })}
            onClick=${() => correct.merge(one, found)}>${t("x_merge")}</button>
        </li>`,
      )}
    </ul>
  </div>`;
}
