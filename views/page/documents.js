/* Documents: what the index holds, adding and removing, and the layers that are missing. */

import { Adding, Failures, Going, useIndexing } from "./adding.js";
import { Layers } from "./layers.js";
import { Waiting } from "./waiting_uploads.js";
import { html, useEffect, useState } from "./html.js";
import { isExport } from "./inlined.js";
import { SearchField, Trouble, useReply, useSettled } from "./looking.js";
import { languageOf, t } from "./words.js";
import "./words_documents.js";

const PAGE = 50;

/* The tab Documents. */
export function DocumentsView({ server, index, refresh, openDocument, active, path }) {
  const [changes, setChanges] = useState(0);
  useEffect(() => void (active && setChanges((n) => n + 1)), [active]); // others may have changed it
  const indexing = useIndexing(index, server, () => {
    setChanges((n) => n + 1);
    refresh();
  });
  useEffect(() => {
    if (path[0] === "layers") document.querySelector("[data-part=layers]")?.scrollIntoView();
  }, [path[0]]);
  return html`<div class="column documents" data-part="documents">
    <h1 class="sr-only">${t("documents")}</h1>
    ${server.uploads
      ? html`<${Adding} indexing=${indexing} server=${server} />`
      : !isExport && html`<p class="note small" data-part="no-uploads">${t("d_no_uploads")}</p>`}
    <${Going} indexing=${indexing} />
    ${server.documents > 0 || server.uploads
      ? html`<${DocumentList} key=${index} index=${index} changes=${changes} server=${server} indexing=${indexing} openDocument=${openDocument} of=${path[0] === "of" ? path[1] : ""} />
          ${server.documents > 0 && server.uploads && html`<${Layers} server=${server} indexing=${indexing} />`}`
      : html`<div class="empty"><p>${server.problem || t("d_empty")}</p></div>`}
  </div>`;
}

/* The list with its search, at first for the rows `of` a file; further pages are added below. */
function DocumentList({ index, changes, server, indexing, openDocument, of }) {
  const [words, setWords] = useState("");
  useEffect(() => void (of && setWords(of)), [of]);
  const [most, setMost] = useState(PAGE);
  const settled = useSettled(words.trim());
  useEffect(() => setMost(PAGE), [settled]);
  const asked = { index, containing: settled, most, changes };
  const [reply, problem, again] = useReply("page/documents", asked);
  const found = reply?.documents ?? [];
  const isEmpty = reply && !reply.total && !settled;
  return html`${reply?.waiting.length > 0 && html`<${Waiting} waiting=${reply.waiting} indexing=${indexing} />`}
  <section aria-label=${t("d_list")}>
    ${server.documents > 0 &&
    html`<${SearchField} label=${t("d_search")} value=${words} onInput=${setWords} told=${reply && settled ? t("d_found", { n: reply.total }) : ""} />`}
    ${problem && html`<${Trouble} problem=${problem} again=${again} />`}
    ${!reply && !problem && html`<p class="soft">${t("loading")}</p>`}
    ${isEmpty && html`<div class="empty"><p>${t("d_empty")}</p></div>`}
    ${reply && !found.length && !isEmpty && html`<p class="soft">${t("d_none")}</p>`}
    <ul class="document-list" data-part="document-list">
      ${found.map(
        (one) => html`<${DocumentRow} key=${one.id} one=${one} server=${server} indexing=${indexing} open=${openDocument} />`,
      )}
    </ul>
    ${reply && reply.total > found.length &&
    html`<button class="button" type="button" onClick=${() => setMost(most + PAGE)}>
      ${t("d_more", { n: reply.total - found.length })}
    </button>`}
    ${reply?.failures.length > 0 && html`<${Failures} failures=${reply.failures} />`}
  </section>`;
}

function DocumentRow({ one, server, indexing, open }) {
  const [asks, setAsks] = useState(null); // whether it is asked; null before the first time
  const close = (event) => event.key === "Escape" && setAsks(false);
  const remove = () => {
    setAsks(false);
    indexing.run({ remove: [one.id] });
  };
  return html`<li data-part="document">
    <button class="document-open" type="button" onClick=${() => open({ document: one.id, title: one.title, at: 0 })}>
      <span class="document-title" lang=${languageOf(one.title)}>${one.title || one.id}</span>
      <span class="document-more">
        ${fileOf(one) !== one.title && html`<span class="document-path">${fileOf(one)}</span>`}
        <span>${t("d_size", one)}</span>
      </span>
    </button>
    ${server.uploads && !asks &&
    html`<button class="button quiet icon" type="button" disabled=${indexing.busy} title=${t("d_remove")}
      aria-label=${t("d_remove_this", { title: one.title })} ref=${asks === false ? focused : null} onClick=${() => setAsks(true)}>✕</button>`}
    ${asks &&
    html`<div class="note warning asks" role="alertdialog" aria-label=${t("d_remove")} onKeyDown=${close}>
      <p>${t("d_sure", { title: one.title })}</p>
      <div class="line">
        <button class="button danger" type="button" onClick=${remove}>${t("d_remove")}</button>
        <button class="button" type="button" ref=${focused} onClick=${() => setAsks(false)}>${t("cancel")}</button>
      </div>
    </div>`}
  </li>`;
}

/* The name of the file that a document comes from, without the folders of the server. */
const fileOf = ({ path }) => path.split("/").at(-1);

const focused = (element) => element?.focus();
