/* GraphRAG: the points that reports or passages make towards the answer, best first. */

import { html } from "../html.js";
import { languageOf, number, t } from "../words.js";
import { openPlace, placeOf } from "../citations.js";
import { Bar, Named, Part, Shortened } from "./parts.js";

/* The picture of a search over reports. */
export function Graphrag({ values, output, openDocument }) {
  const { points = [], communities = [], look_ups: lookUps = [], evidence = [], search } = values;
  const titles = new Map(communities.map((one) => [one.id, one]));
  const best = [...points].sort((a, b) => b.score - a.score);
  const point = (one) => html`<${Point} point=${one} titles=${titles} openDocument=${openDocument} />`;
  const passage = (one) => html`<${Named} passage=${one} openDocument=${openDocument} />`;
  return html`
    ${search && html`<p class="small soft">${t(`search_${search}`)}</p>`}
    ${lookUps.length > 0 && html`<${Part}>${t("look_ups")}</${Part}><${Shortened} items=${lookUps} show=${lookUp} label=${t("look_ups")} />`}
    ${best.length > 0 && html`<${Part}>${t("points")}</${Part}><${Shortened} items=${best} most=${6} show=${point} label=${t("points")} />`}
    ${communities.length > 0 && html`<${Part}>${t("reports")}</${Part}><${Shortened} items=${communities} show=${report} label=${t("reports")} />`}
    ${!best.length && evidence.length > 0 && html`<${Part}>${t("surroundings")}</${Part}><${Shortened} items=${evidence} show=${passage} label=${t("surroundings")} />`}
  `;
}

/* A point with its score, the sentences that state it, and the reports that it comes from. */
function Point({ point, titles, openDocument }) {
  const known = point.communities.map((id) => titles.get(id)).filter(Boolean);
  return html`<div class="point" data-part="point">
    <p lang=${languageOf(point.text)}>${point.text}</p>
    <p class="point-score"><${Bar} share=${point.score / 100} /><span class="value">${number(point.score, { maximumFractionDigits: 1 })}</span></p>
    ${point.citations.filter((one) => one.quote && !point.text.includes(one.quote.trim())).slice(0, 3).map((one) => html`<p class="small said"><button class="linklike" type="button" onClick=${() => openPlace(one, openDocument)}><q lang=${languageOf(one.quote)}>${one.quote}</q></button> <span class="soft tiny">${placeOf(one)}</span></p>`)}
    ${known.length > 0 && html`<p class="tiny soft">${t("from_report")} ${known.map(report)}</p>`}
  </div>`;
}

const report = (one) => html`<a class="from-report" lang=${languageOf(one.title)} href=${`#explore/communities/${encodeURIComponent(one.id)}`}>${one.title}</a>`;

const lookUp = (one) => html`<div class="step"><p class="part-question" lang=${languageOf(one.question)}>${one.question}</p>
  ${one.answer ? html`<p class="part-answer" lang=${languageOf(one.answer)}>${one.answer}</p>` : html`<p class="small soft">${t("status_not_found")}</p>`}</div>`;
