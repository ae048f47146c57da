/* Entities: a list to search in, and beside it all that is known of one. */

import { postJson } from "./api.js";
import { EntityCard } from "./entity.js";
import { html, useState } from "./html.js";
import { Missing, SearchField, Trouble, useReply, useSettled } from "./looking.js";
import { placeOf } from "./places.js";
import { languageOf, t } from "./words.js";

const MOST = 100;

/* The view of entities; the address names the one that is shown. */
export function EntitiesView(given) {
  if (!given.server.layers.includes("entities")) return html`<${Missing} server=${given.server} layer="entities" />`;
  return html`<${Entities} ...${given} />`;
}

function Entities({ index, path, server, refresh, openDocument }) {
  const [id] = path;
  const [words, setWords] = useState("");
  const [outcome, setOutcome] = useState(null);
  const [changes, setChanges] = useState(0);
  const settled = useSettled(words.trim());
  const asked = { index, containing: settled, most: MOST, changes };
  const [reply, problem, again] = useReply("page/entities", asked);
  const correct = useCorrecting(index, setOutcome, () => {
    setChanges((n) => n + 1);
    refresh();
  });
  const found = reply?.entities ?? [];
  return html`<div class=${`halves${id ? " chosen" : ""}`}>
    <section class="half-list" aria-label=${t("x_entities")}>
      <${SearchField} label=${t("x_search_entities")} value=${words} onInput=${setWords}
        told=${reply && settled ? t("x_found", { n: found.length }) : ""} />
      ${problem && html`<${Trouble} problem=${problem} again=${again} />`}
      ${reply && !found.length && html`<p class="soft">${t("x_no_entities")}</p>`}
      <ul class="rows" data-part="entity-list">
        ${found.map((one) => html`<${Row} key=${one.id} one=${one} chosen=${one.id === id} />`)}
      </ul>
      <${Corrections} index=${index} server=${server} changes=${changes} undo=${correct.undo} busy=${correct.busy} />
    </section>
    <section class="half-card" aria-label=${t("x_entity")}>
      ${outcome && html`<${Outcome} ...${outcome} undo=${correct.undo} busy=${correct.busy} close=${() => setOutcome(null)} />`}
      ${id
        ? html`<a class="back" href=${placeOf("entities")}>← ${t("x_all_entities")}</a>
            <${EntityCard} key=${id} id=${id} index=${index} server=${server} changes=${changes} correct=${correct} openDocument=${openDocument} />`
        : html`<p class="empty">${t("x_choose_entity")}</p>`}
    </section>
  </div>`;
}

function Row({ one, chosen }) {
  return html`<li>
    <a class="row" href=${placeOf("entities", one.id)} aria-current=${chosen ? "true" : null}>
      <span class="row-name" lang=${languageOf(one.name)}>${one.name}</span>
      <span class="row-more">${one.type && html`<span class="chip">${one.type}</span>`} ${t("x_in_passages", { n: one.passages })}</span>
    </a>
  </li>`;
}

/* Functions that merge, split and undo; each says its outcome and then that something changed. */
function useCorrecting(index, say, changed) {
  const [busy, setBusy] = useState(false);
  const done = async (path, body, told) => {
    setBusy(true);
    say(null);
    try {
      const reply = await postJson(path, { index, ...body });
      const [kept] = reply.entities;
      if (kept) location.hash = placeOf("entities", kept.id);
      say({ sentence: told, correction: reply.correction, warnings: reply.warnings });
      changed();
    } catch (error) {
      say({ problem: error.message });
    }
    setBusy(false);
  };
  return {
    busy,
    merge: (a, b) => done("page/correct", { action: "merge", a: a.id, b: b.id }, t("x_merged", { a: a.name, b: b.name })),
    split: (a, b) => done("page/correct", { action: "split", a: a.id, b: b.id }, t("x_split_done", { a: a.name, b: b.name })),
    undo: (correction) => done("page/undo", { correction }, t("x_undone")),
  };
}

/* What a correction has done, and the way back. */
function Outcome({ sentence, problem, correction, warnings = [], undo, busy, close }) {
  return html`<div class=${`note outcome ${problem ? "problem" : "good"}`} role="status" data-part="outcome">
    <p>${problem ?? sentence}</p>
    ${warnings.map((one) => html`<p class="small">${one}</p>`)}
    <div class="line">
      ${correction !== undefined &&
      html`<button class="button" type="button" disabled=${busy} onClick=${() => undo(correction)}>${t("x_undo")}</button>`}
      <button class="button quiet" type="button" onClick=${close}>${t("close")}</button>
    </div>
  </div>`;
}

/* All corrections that people made, each with its undo. */
function Corrections({ index, server, changes, undo, busy }) {
  const [reply] = useReply("page/corrections", { index, changes });
  const made = reply?.corrections ?? [];
  if (!made.length) return null;
  return html`<details class="corrections">
    <summary>${t("x_corrections", { n: made.length })}</summary>
    <ul class="rows">
      ${made.map(
        (one) => html`<li class="line spread" key=${one.correction}>
          <span>${t(one.action === "merge" ? "x_is" : "x_is_not", one)}</span>
          ${server.corrections &&
          html`<button class="button" type="button" disabled=${busy} onClick=${() => undo(one.correction)}>${t("x_undo")}</button>`}
        </li>`,
      )}
    </ul>
  </details>`;
}
