/* The agent: each use of a tool, turn by turn, with the passages that it found. */

import { html } from "../html.js";
import { languageOf, t } from "../words.js";
import { Basic, Cited } from "./basic.js";
import { Named, Part, Shortened, byId } from "./parts.js";

/* The picture of the turns, above the passages that were read. */
export function Agent({ values, ...given }) {
  const { actions = [] } = values;
  const places = byId(values);
  return html`${actions.length > 0 && html`<${Part}>${t("uses")}</${Part}>`}
    <ol class="part-steps">
      ${actions.map((use) => html`<${Use} use=${use} places=${places} ...${given} />`)}
    </ol>
    <${Basic} values=${values} ...${given} />`;
}

/* A tool, what it was asked for, and what it found: passages, or its own words. */
function Use({ use, places, output, openDocument }) {
  const found = use.found.map((id) => places.get(id)).filter(Boolean);
  const show = (one) => html`<${Named} passage=${one} openDocument=${openDocument} /> <${Cited} passage=${one} output=${output} />`;
  return html`<li class=${`step ${use.new ? "answered" : "not_found"}`} data-part="use">
    <p class="part-question"><span class="state" aria-hidden="true">${use.new ? "✓" : "–"}</span><span class="chip">${t(`tool_${use.tool}`)}</span>${" "}<span lang=${languageOf(use.query)}>${use.query}</span></p>
    ${found.length > 0 && html`<${Shortened} items=${found} most=${3} show=${show} label=${use.query} />`}
    ${!found.length && html`<p class="small soft">${use.told || t("status_not_found")}</p>`}
  </li>`;
}
