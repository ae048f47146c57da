/* What a search found: passages with their best sentences marked. */

import { openPlace, whereIn } from "./citations.js";
import { bestPassages, excerpt } from "./excerpts.js";
import { html, useState } from "./html.js";
import { Markup } from "./markup.js";
import { Bar } from "./pictures/parts.js";
import { languageOf, t } from "./words.js";

const NEAR = 0.25; // of the best one's score: what is shown at first
const UNMARKED = 0.3; // the nearest that a passage is called of which no sentence is marked

/* The passages of an output, the best `most` first, and a button for the others; where one states
   the answer, that one alone comes first. */
export function Passages({ output, most, isQuiet = false, openDocument }) {
  const [all, setAll] = useState(false);
  const answer = output.sufficient ? output.answer : "";
  const found = bestPassages(output.evidence, output.citations, answer);
  const states = Boolean(answer) && found[0]?.citations.length > 0;
  const best = Math.max(...found.map((one) => one.passage.score ?? 0), 1e-9);
  const isNear = (one, place) => place < 2 || (one.passage.score ?? best) >= NEAR * best;
  const shown = all ? found : found.slice(0, states ? 1 : most).filter(isNear);
  const marks = shown.flatMap((one) => one.citations);
  const opens = (place) => openDocument({ ...place, marks: marks.filter((one) => one.document === place.document) });
  return html`<div class=${`results${isQuiet ? " quiet" : ""}`} data-part="results">
    <ol>
      ${shown.map((one, place) => html`<li><${Passage} found=${one} share=${isQuiet ? 0 : (one.passage.score ?? 0) / best} supports=${states && !place} lengths=${output.lengths} openDocument=${opens} /></li>`)}
    </ol>
    ${shown.length < found.length && html`<button class="button" type="button" onClick=${() => setAll(true)}>${t(states ? "other_passages" : "more_passages", { n: found.length - shown.length })}</button>`}
  </div>`;
}

/* One passage: its place, how near it is to the question, unless its document alone was wanted, and
   the sentences around what is marked. */
function Passage({ found, share, supports, lengths, openDocument }) {
  const { passage, citations } = found;
  const place = { ...passage, ...(citations[0] ?? { quote: "", end: passage.start }) };
  const where = whereIn(place, lengths);
  const title = passage.title || passage.document;
  const close = citations.length ? share : Math.min(share, UNMARKED);
  return html`<article class="result">
    <h3><button class="linklike" type="button" lang=${languageOf(title)} onClick=${() => openPlace(place, openDocument)}>${title}</button></h3>
    <p class="result-place small soft">
      ${where && html`<span lang=${languageOf(where)}>${where}</span>`}
      ${supports ? html`<span class="chip">${t("as_stated")}</span>` : passage.found !== "beginning" && html`<span class="near"><${Bar} share=${close} />${t(`near_${nearness(close)}`)}</span>`}
    </p>
    <div class="result-text" lang=${languageOf(passage.text)}><${Markup} parts=${excerpt(passage, citations)} skip=${[title, place.metadata?.section]} /></div>
  </article>`;
}

/* How near a passage is, in a word: by its share of the best one's score. */
export const nearness = (share) => (share >= 0.75 ? "close" : share >= 0.35 ? "fair" : share >= 0.1 ? "loose" : "far");
