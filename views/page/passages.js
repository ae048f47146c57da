/* Passages: searched by their very words first, then by meaning. */

import { firstWords } from "./excerpts.js";
import { html, useState } from "./html.js";
import { isExport } from "./inlined.js";
import { around, Marked, openingOf, SearchField, Trouble, useReply, useSettled } from "./looking.js";
import { patternOf } from "./patterns.js";
import { placeOf } from "./places.js";
import { languageOf, t } from "./words.js";

const MOST = 40;

/* The view of passages. */
export function PassagesView({ index, openDocument }) {
  const [words, setWords] = useState("");
  const settled = useSettled(words.trim());
  const [reply, problem, again] = useReply("page/passages", { index, containing: settled, most: MOST });
  const found = reply?.passages ?? [];
  const exact = found.filter((one) => one.exact);
  const near = found.filter((one) => !one.exact);
  const told = reply && settled ? t("x_found", { n: found.length }) : "";
  const list = (passages) =>
    html`<ul class="passages">
      ${passages.map(
        (one) => html`<${Row} key=${one.id} one=${one} words=${one.exact ? settled : ""} open=${openDocument} />`,
      )}
    </ul>`;
  return html`<div class="column">
    <${SearchField} label=${t("x_search_passages")} value=${words} onInput=${setWords} told=${told} />
    ${problem && html`<${Trouble} problem=${problem} again=${again} />`}
    ${!reply && !problem && html`<p class="soft">${t("loading")}</p>`}
    ${reply && !found.length && html`<p class="soft">${t("x_no_passages")}</p>`}
    ${exact.length > 0 && html`<h2 class="group">${t("x_exact", { n: exact.length })}</h2>${list(exact)}`}
    ${near.length > 0 &&
    html`<h2 class="group">${t(settled ? (isExport ? "exported_near" : "x_near") : "x_first", { n: near.length })}</h2>
      ${list(near)}`}
  </div>`;
}

function Row({ one, words, open }) {
  const go = () => open(placeIn(one, words));
  return html`<li class="card passage" data-part="passage">
    <button class="passage-open" type="button" onClick=${go}>
      <span class="passage-title" lang=${languageOf(one.title)}>${one.title || one.document}</span>
      <span class="passage-text" lang=${languageOf(one.text)}><${Marked} text=${words ? around(one.text, words) : firstWords(one.text, 320)} words=${words} /></span>
    </button>
    <a class="small" href=${placeOf("graph", one.id)}>${t("x_in_graph")}</a>
  </li>`;
}

/* Where the words stand in the document; where the passage begins if they are not in its text. */
function placeIn(one, words) {
  const match = words && patternOf(words).exec(one.text);
  if (!match) return openingOf(one);
  const { document, title } = one;
  const at = one.start + match.index;
  return { document, title, at, end: at + match[0].length, quote: match[0] };
}
