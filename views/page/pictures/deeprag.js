/* DeepRAG: the question taken apart, as a tree or step by step, with the answers that come in. */

import { html } from "../html.js";
import { languageOf, t } from "../words.js";
import { Opens, Part } from "./parts.js";

/* The picture of the parts: the tree where there is one, else the steps. */
export function Deeprag({ values, running, output, openDocument }) {
  const { tree = [], steps = [] } = values;
  const asked = new Set(steps.map((one) => one.number));
  const pending = running ? (values.pending ?? []).filter((one) => one.question && !asked.has(one.number)) : [];
  if (tree.length) {
    return html`<${Part}>${t("tree")}</${Part}><ol class="branches tree"><${Branch} one=${tree[0]} tree=${tree} output=${output} openDocument=${openDocument} /></ol>`;
  }
  if (!steps.length && !pending.length) return null;
  return html`<${Part}>${t("parts")}</${Part}><ol class="part-steps">
    ${steps.map((one) => html`<${Step} step=${one} openDocument=${openDocument} />`)}
    ${pending.map((one) => html`<${Step} step=${one} waiting openDocument=${openDocument} />`)}
  </ol>`;
}

/* A question of the tree above those that it was split into. */
function Branch({ one, tree, output, openDocument }) {
  const parts = tree.filter((part) => part.parent === one.id);
  const answer = one.parent || !output ? one.answer : one.answer || output.answer;
  return html`<li class=${`branch ${one.status}`} data-part="branch">
    <p class="part-question"><span class="state" aria-hidden="true">${SIGNS[one.status] ?? "·"}</span><span lang=${languageOf(one.question || one.text)}>${one.question || one.text}</span></p>
    <${Said} answer=${answer} citation=${one.citations?.[0]} status=${one.status} openDocument=${openDocument} />
    ${parts.length > 0 && html`<ol class="branches">${parts.map((part) => html`<${Branch} one=${part} tree=${tree} output=${output} openDocument=${openDocument} />`)}</ol>`}
  </li>`;
}

/* A step of the narrative: what was asked, where it was looked for, and the answer. */
function Step({ step, waiting, openDocument }) {
  const status = waiting ? "ready" : step.found ? "answered" : "not_found";
  return html`<li class=${`step ${status}`} data-part="step">
    <p class="part-question"><span class="state" aria-hidden="true">${SIGNS[status]}</span><span lang=${languageOf(step.question)}>${step.question}</span>${" "}<span class="chip">${t(`source_${step.source}`)}</span></p>
    <${Said} answer=${step.answer} citation=${step.citations?.[0]} status=${status} openDocument=${openDocument} />
  </li>`;
}

/* The answer to a part, which opens the sentence that says it; else how far it is. */
function Said({ answer, citation, status, openDocument }) {
  if (answer) {
    return html`<p class="part-answer"><${Opens} passage=${citation} quote=${citation} openDocument=${openDocument}>${answer}</${Opens}></p>`;
  }
  return html`<p class="small soft">${t(`status_${status}`)}</p>`;
}

const SIGNS = { answered: "✓", not_found: "–", failed: "!", blocked: "–", waiting: "…", ready: "…", split: "⑂" };
