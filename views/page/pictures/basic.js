/* Basic: the passages that were read beside those that the answer shows already, best first. */

import { html } from "../html.js";
import { isSearch } from "../runs.js";
import { t } from "../words.js";
import { nearness } from "../results.js";
import { Bar, Named, Part, Shortened } from "./parts.js";

/* The picture of a plain search; what the answer cites or lists itself is not listed again. */
export function Basic({ values, output, openDocument }) {
  const passages = values.evidence ?? [];
  const cited = new Set(output?.citations?.map((one) => one.passage));
  const others = output && isSearch(output) ? [] : passages.filter((one) => !cited.has(one.id));
  if (!others.length) return passages.length > 0 && html`<p class="small soft">${t("all_shown", { n: passages.length })}</p>`;
  const most = Math.max(...passages.map((one) => one.score), 1e-9);
  const show = (one) => html`<div class="ranked" data-part="ranked">
    <span class="ranked-name"><${Named} passage=${one} openDocument=${openDocument} /></span>
    <span class="near small soft"><${Bar} share=${one.score / most} />${t(`near_${nearness(one.score / most)}`)}</span>
  </div>`;
  const title = t(output ? "ranked" : "reading");
  return html`<${Part}>${title}</${Part}><${Shortened} items=${others} show=${show} label=${title} />`;
}

/* The numbers of the citations that stand in a passage. */
export function Cited({ passage, output }) {
  if (!output || isSearch(output)) return null;
  const numbers = (output.citations ?? []).flatMap((one, place) => (one.passage === passage.id ? [place + 1] : []));
  return numbers.map((n) => html`<span class="cite-n" aria-label=${t("cited_as", { n })}>${n}</span>`);
}
