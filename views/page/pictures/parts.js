/* What the pictures of the methods have in common. */

import { openPlace } from "../citations.js";
import { firstWords } from "../excerpts.js";
import { html, useState } from "../html.js";
import { languageOf, t } from "../words.js";

const MOST = 8;

/* A list that shows its first entries, and all where a person wants them. */
export function Shortened({ items, most = MOST, show, label }) {
  const [all, setAll] = useState(false);
  const shown = all || items.length <= most + 1 ? items : items.slice(0, most);
  return html`<ol class="entries" aria-label=${label}>
      ${shown.map((item, place) => html`<li>${show(item, place)}</li>`)}
    </ol>
    ${shown.length < items.length &&
    html`<button class="button quiet small" type="button" onClick=${() => setAll(true)}>${t("and_more", { n: items.length - shown.length })}</button>`}`;
}

/* The title of a passage, which opens it; plain text where its place is not known. */
export function Opens({ passage, quote, children, openDocument }) {
  const known = passage?.document && passage.start !== undefined;
  if (!known) return html`<span lang=${languageOf(children)}>${children}</span>`;
  const place = quote ?? { ...passage, quote: "", end: passage.start };
  return html`<button class="linklike" type="button" lang=${languageOf(children)} onClick=${() => openPlace(place, openDocument)}>${children}</button>`;
}

/* A passage by its title, which opens it, and its first words, as far as they are known. */
export function Named({ passage, openDocument }) {
  if (!passage) return html`<span class="soft">${t("not_kept_passage")}</span>`;
  const title = passage.title || passage.document;
  const words = passage.text ? firstWords(passage.text, 80) : below(passage.words, title);
  return html`<span class="named"><${Opens} passage=${passage} openDocument=${openDocument}>${title || words}</${Opens}>${
    title && words && html`<span class="soft tiny first-words" lang=${languageOf(words)}>${words}</span>`
  }</span>`;
}

/* First words as the server tells them, on one line, without the heading that they begin with. */
function below(words = "", title) {
  const line = words.replace(/^#+\s*/, "");
  return title && line.startsWith(title) ? line.slice(title.length).replace(/^[\s#]+/, "") : line;
}

/* A bar from 0 to 1; the number beside it says the same. */
export function Bar({ share, kind = "" }) {
  const width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return html`<span class=${`bar ${kind}`} aria-hidden="true"><span style=${{ width }}></span></span>`;
}

/* The passages that a method met by their ids: the evidence with its texts, of others the place. */
export function byId({ evidence = [], seen = {} }) {
  return new Map([...Object.entries(seen), ...evidence.map((one) => [one.id, one])]);
}

/* A heading over a part of a picture. */
export const Part = ({ children }) => html`<h3 class="label">${children}</h3>`;
