/* Results: those of evaluations that the index keeps, and the plots of one of them. */

import { html } from "./html.js";
import { Trouble, useReply } from "./looking.js";
import { Plot } from "./plots/plot.js";
import { language, t } from "./words.js";
import "./words_evaluations.js";

/* The address of a result. */
const placeOf = (name) => `#evaluations/${encodeURIComponent(name)}`;

/* The tab Results; the address names the result that is shown, else it is the newest. */
export function EvaluationsView({ server, index, active, path }) {
  const [reply, problem, again] = useReply("page/evaluations", { index }, active && !server.problem);
  if (server.problem) return html`<p class="empty" role="status">${server.problem}</p>`;
  if (problem) return html`<${Trouble} problem=${problem} again=${again} />`;
  if (!reply) return html`<p class="empty">${t("loading")}</p>`;
  const [asked] = path;
  const name = asked || reply.evaluations[0].name;
  return html`<div class=${`halves evaluations${asked ? " chosen" : ""}`}>
    <section class="half-list" aria-label=${t("e_list")}>
      <h1 class="sr-only">${t("evaluations")}</h1>
      <ul class="rows" data-part="evaluation-list">
        ${reply.evaluations.map((one) => html`<${Row} key=${one.name} one=${one} chosen=${one.name === name} />`)}
      </ul>
    </section>
    <section class="half-card" aria-label=${t("e_one")}>
      <a class="back" href="#evaluations">← ${t("e_all")}</a>
      <${Evaluation} key=${`${index} ${name}`} index=${index} name=${name} />
    </section>
  </div>`;
}

function Row({ one, chosen }) {
  return html`<li>
    <a class="row" href=${placeOf(one.name)} aria-current=${chosen ? "true" : null}>
      <span class="row-name">${one.experiment}</span>
      <span class="row-more">${timeOf(one.made)}</span>
      ${one.titles.length > 0 && html`<span class="row-titles small soft">${one.titles[0]}</span>`}
      ${one.titles.length > 1 && html`<span class="row-more">${t("e_plots", { n: one.titles.length })}</span>`}
    </a>
  </li>`;
}

/* One result: what was measured and when, its plots, and a link to all of its figures. */
function Evaluation({ index, name }) {
  const [found, problem, again] = useReply("page/evaluation", { index, name });
  if (problem) return html`<${Trouble} problem=${problem} again=${again} />`;
  if (!found) return html`<p class="soft">${t("loading")}</p>`;
  const figures = `page/evaluation/figures?${new URLSearchParams({ index, name })}`;
  return html`<article class="evaluation" data-part="evaluation">
    <header class="line spread">
      <div>
        <h2>${found.experiment}</h2>
        <p class="small soft">${timeOf(found.made)}</p>
      </div>
      <a class="button" href=${figures} download=${`${name}.json`}>${t("e_download")}</a>
    </header>
    ${found.plots.length === 0 && html`<p class="soft">${t("e_no_plots")}</p>`}
    ${found.plots.map((plot, at) => html`<${Plot} key=${at} plot=${plot} id=${`plot-${at}`} />`)}
  </article>`;
}

/* A time in ISO 8601 as it is written in the language in use. */
function timeOf(made) {
  const time = new Date(made);
  if (Number.isNaN(time.getTime())) return made;
  return new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeStyle: "short" }).format(time);
}
