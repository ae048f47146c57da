/* Uploaded files that no run has read yet: why, if that is known, and what can be done about it. */

import { html } from "./html.js";
import { t } from "./words.js";

/* The list of waiting files. */
export function Waiting({ waiting, indexing }) {
  return html`<section aria-label=${t("d_waiting")} data-part="waiting-uploads">
    <h2>${t("d_waiting")}</h2>
    <ul class="document-list">
      ${waiting.map((one) => html`<${WaitingFile} key=${one.path} ...${one} indexing=${indexing} />`)}
    </ul>
    <div class="line">
      <button class="button" type="button" disabled=${indexing.busy} onClick=${() => indexing.plan({})}>${t("d_read_now")}</button>
    </div>
  </section>`;
}

function WaitingFile({ path, reason, indexing }) {
  const name = path.split("/").pop();
  return html`<li data-part="waiting-upload">
    <div>
      <span class="document-title">${name} <span class="chip">${t("d_waits")}</span></span>
      ${reason && html`<span class="document-more">${reason}</span>`}
    </div>
    <button class="button quiet icon" type="button" disabled=${indexing.busy} title=${t("d_discard")}
      aria-label=${t("d_discard_this", { name })} onClick=${() => indexing.discard([path])}>✕</button>
  </li>`;
}
