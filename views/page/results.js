/* What a search found: passages with their best sentences marked. */

import { openPlace, placeOf } from "./citations.js";
import { bestPassages, excerpt, tidied } from "./excerpts.js";
import { html, useState } from "./html.js";
import { languageOf, t } from "./words.js";

/* The passages of an output, the best `most` first, and a button for the others. */
export function Passages({ output, most, openDocument }) {
  const [all, setAll] = useState(false);
  const answer = output.sufficient ? output.answer : "";
  const found = bestPassages(output.evidence, output.citations, answer);
  const shown = all ? found : found.slice(0, most);
  return html`<div class="results" data-part="results">
    <p class="soft small">${t("found", { n: found.length, shown: shown.length })}</p>
    <ol>
      ${shown.map((one, place) => html`<li><${Passage} found=${one} supports=${Boolean(answer) && place === 0 && one.citations.length > 0} openDocument=${openDocument} /></li>`)}
    </ol>
    ${shown.length < found.length && html`<button class="button" type="button" onClick=${() => setAll(true)}>${t("all_passages", { n: found.length })}</button>`}
  </div>`;
}

/* One passage: its place, and the sentences around what is marked. */
function Passage({ found, supports, openDocument }) {
  const { passage, citations } = found;
  const place = { ...passage, ...(citations[0] ?? { quote: "" }) };
  const opens = () => openPlace(citations[0] ?? { ...passage, quote: "", end: passage.start }, openDocument);
  return html`<article class="result">
    <h3><button class="linklike" type="button" lang=${languageOf(placeOf(place))} onClick=${opens}>${placeOf(place)}</button>
      ${supports && html` <span class="chip">${t("as_stated")}</span>`}</h3>
    <p class="result-text" lang=${languageOf(passage.text)}>${tidied(excerpt(passage, citations)).map(shownPart)}</p>
  </article>`;
}

/* A part of an excerpt: what is cited as a mark, an ellipsis where text is left out. */
function shownPart(part) {
  if (part.gap) return html`<span class="gap" > … </span>`;
  return part.marked ? html`<mark class=${part.best ? "best" : ""}>${part.text}</mark>` : part.text;
}
