/* CRAG: the grades of the passages, the verdict, the strips that were kept, and the web. */

import { placeOf } from "../citations.js";
import { html } from "../html.js";
import { languageOf, number, t } from "../words.js";
import { Opens, Part, Shortened, byId } from "./parts.js";

/* The picture of a graded search. */
export function Crag({ values, openDocument }) {
  const { grades = [], verdict, queries = [], pages = [] } = values;
  const places = byId(values);
  const strips = stripsOf(values);
  const best = [...grades].sort((a, b) => b.score - a.score);
  const grade = (one) => html`<${Grade} grade=${one} passage=${places.get(one.passage)} openDocument=${openDocument} />`;
  const strip = (one) => html`<div class="strip"><${Opens} passage=${one} quote=${{ ...one, quote: one.text }} openDocument=${openDocument}>${flat(one.text)}</${Opens}><span class="soft tiny">${placeOf(one)}</span></div>`;
  return html`
    ${grades.length > 0 && html`<${Part}>${t("grades")}</${Part}>
      ${verdict && html`<p class="small verdict" data-part="verdict"><b class=${`verdict-${verdict}`}>${t(`verdict_${verdict}`)}</b> ${t(`verdict_${verdict}_is`)}</p>`}
      <p class="axis tiny soft" aria-hidden="true"><span>${t("grade_low")}</span><span>${t("grade_high")}</span></p>
      <${Shortened} items=${best} show=${grade} label=${t("grades")} />`}
    ${queries.length > 0 && html`<${Part}>${t("web_queries")}</${Part}><ul class="queries">${queries.map((one) => html`<li lang=${languageOf(one)}>${one}</li>`)}</ul>`}
    ${pages.length > 0 && html`<${Part}>${t("web_pages")}</${Part}><${Shortened} items=${pages} label=${t("web_pages")} show=${(one) => html`<${Opens} passage=${one} openDocument=${openDocument}>${placeOf(one)}</${Opens}>`} />`}
    ${strips.length > 0 && html`<${Part}>${t("strips")}</${Part}><${Shortened} items=${strips} most=${5} show=${strip} label=${t("strips")} />`}
  `;
}

/* A grade from -1 to 1 as a bar from the middle. */
function Grade({ grade, passage, openDocument }) {
  const { score } = grade;
  const half = Math.min(1, Math.abs(score)) * 50;
  const style = { width: `${half}%`, left: `${score < 0 ? 50 - half : 50}%` };
  return html`<div class="graded" data-part="grade">
    <span class="ranked-name"><${Opens} passage=${passage} openDocument=${openDocument}>${grade.title || grade.document}</${Opens}></span>
    <span class="diverging" aria-hidden="true"><span class=${score < 0 ? "below" : "above"} style=${style}></span></span>
    <span class="value">${number(score, { maximumFractionDigits: 2, signDisplay: "exceptZero" })}</span>
  </div>`;
}

/* A strip on one line, without marks of headings. */
const flat = (text) => text.replace(/^#{1,6}\s+/gm, "").replace(/\s+/g, " ");

/* The sentences that were kept: of passages and of the web, each told by its text. */
function stripsOf({ evidence = [], refined = [], web_refined = [] }) {
  const kept = evidence.filter((one) => one.text);
  return kept.length ? kept : [...refined, ...web_refined];
}
