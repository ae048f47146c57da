/* Basic: the ranked passages, and which of them the answer cites. */

import { html } from "../html.js";
import { isSearch } from "../runs.js";
import { number, t } from "../words.js";
import { Bar, Named, Part, Shortened } from "./parts.js";

/* The picture of a plain search. */
export function Basic({ values, output, openDocument }) {
  const passages = values.evidence ?? [];
  if (!passages.length) return null;
  const most = Math.max(...passages.map((one) => one.score), 1e-9);
  const show = (one, place) => html`<div class="ranked" data-part="ranked">
    <span class="rank">${place + 1}</span>
    <span class="ranked-name"><${Named} passage=${one} openDocument=${openDocument} /> <${Cited} passage=${one} output=${output} /></span>
    <${Bar} share=${one.score / most} /><span class="value">${number(one.score, { maximumFractionDigits: 2 })}</span>
  </div>`;
  return html`<${Part}>${t("ranked")}</${Part}><${Shortened} items=${passages} show=${show} label=${t("ranked")} />`;
}

/* The numbers of the citations that stand in a passage. */
export function Cited({ passage, output }) {
  if (!output || isSearch(output)) return null;
  const numbers = (output.citations ?? []).flatMap((one, place) => (one.passage === passage.id ? [place + 1] : []));
  return numbers.map((n) => html`<span class="cite-n" aria-label=${t("cited_as", { n })}>${n}</span>`);
}
