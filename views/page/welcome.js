/* What is shown where nothing was asked yet: an overview of the documents, and questions to begin with. */

import { html, useEffect, useState } from "./html.js";
import { useReply } from "./looking.js";
import { placeOf } from "./places.js";
import { languageOf, t } from "./words.js";

/* The overview of an index; the field for a question stands in it. An empty index takes files. */
export function Welcome({ server, index, put, refresh, openDocument, children }) {
  const [overview] = useReply("page/overview", { index, documents: server.documents }, server.documents > 0);
  const adds = server.uploads && html`<${Adding} server=${server} index=${index} refresh=${refresh} />`;
  if (!server.documents) {
    return html`<div class="welcome measure">
      <h1>${t(server.uploads ? "add_first" : "nothing_yet")}</h1>
      <p class="soft">${t(server.uploads ? "add_first_how" : "nothing_yet_how")}</p>
      ${adds}
    </div>`;
  }
  return html`<div class="welcome">
    <div class="measure">
      <h1>${t("welcome")}</h1>
      <p class="soft">${t(server.offline ? "welcome_search" : "welcome_size", server)}</p>
      ${children}
    </div>
    ${overview && html`<${Overview} ...${overview} put=${put} openDocument=${openDocument} />`}
    ${adds}
  </div>`;
}

/* The documents with their subjects, the largest topics, and questions if they can be `put`. */
export function Overview({ documents, total, topics, questions, put, openDocument }) {
  return html`<div class="overview" data-part="overview">
    ${put && questions.length > 0 &&
    html`<section><h2 class="label">${t("examples")}</h2>
      <ul class="examples">
        ${questions.map((one) => html`<li><button class="example" type="button" lang=${languageOf(one)} onClick=${() => put(one)}>${one}</button></li>`)}
      </ul></section>`}
    <section><h2 class="label">${t("o_documents")}</h2>
      <ul class="tiles">
        ${documents.map((one) => html`<li>${one.rows > 0
          ? html`<a class="tile" href=${`#documents/of/${encodeURIComponent(one.title)}`}><${Tile} title=${one.title} about=${t("o_rows", { n: one.rows, about: one.about })} /></a>`
          : html`<button class="tile" type="button" onClick=${() => openDocument({ document: one.id, title: one.title, at: 0 })}><${Tile} ...${one} /></button>`}</li>`)}
      </ul>
      ${total > documents.length && html`<p class="small"><a href="#documents">${t("o_all", { n: total })}</a></p>`}</section>
    ${topics.length > 0 &&
    html`<section><h2 class="label">${t("o_topics")}</h2>
      <ul class="tiles">
        ${topics.map((one) => html`<li><a class="tile" href=${placeOf("communities", one.id)}><${Tile} ...${one} /></a></li>`)}
      </ul></section>`}
  </div>`;
}

function Tile({ title, about }) {
  return html`<span class="tile-title" lang=${languageOf(title)}>${title}</span>
    <span class="tile-about" lang=${languageOf(about)}>${about}</span>`;
}

/* Adding documents, which is loaded when it is shown. */
function Adding({ server, index, refresh }) {
  const [part, setPart] = useState(null);
  useEffect(() => void import("./adding.js").then((found) => setPart(() => found.AddingHere)), []);
  return part && html`<${part} server=${server} index=${index} changed=${refresh} />`;
}
