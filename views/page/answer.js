/* A question and its answer: the text with numbered citations, or what a search found. */

import { Cite, Sources } from "./citations.js";
import { Cost } from "./cost.js";
import { Found } from "./found.js";
import { html, useEffect, useState } from "./html.js";
import { methodTitle } from "./methods.js";
import { Paused } from "./paused.js";
import { Prose } from "./prose.js";
import { Passages } from "./results.js";
import { isSearch } from "./runs.js";
import { languageOf, t } from "./words.js";
import { unspokenIn } from "./words_found.js";

const LONG = 10; // seconds

/* One turn of a conversation. `looked` says that the panel beside shows how it was found. */
export function Turn({ turn, newest, looked, server, openDocument, wide, put, resume, look }) {
  const { status, output } = turn;
  const opens = (place) => openDocument({ ...place, index: turn.index });
  const asked = output?.asked && output.asked !== turn.question ? output.asked : "";
  return html`<li class=${newest ? "turn newest" : "turn"}>
    <article class="measure" aria-label=${turn.question} data-part="turn" data-status=${status}>
      <h2 class="asked"><span class="sr-only">${t("you_asked")}: </span><span lang=${languageOf(turn.question)}>${turn.question}</span></h2>
      ${asked && html`<p class="soft small">${t("understood", { asked })}</p>`}
      <div class="answer" data-part="answer" aria-busy=${status === "running"}>
        ${output
          ? html`<${Answered} turn=${turn} openDocument=${opens} put=${put} />`
          : html`<${Unanswered} turn=${turn} put=${put} />`}
      </div>
      ${status === "paused" && html`<${Paused} turn=${turn} resume=${resume} />`}
      ${output && html`<${Foot} turn=${turn} server=${server} wide=${wide} isLooked=${looked === turn.id} look=${look} />`}
      ${(!wide || !output) && hasWay(turn) && html`<${How} turn=${turn} newest=${newest} openDocument=${opens} />`}
    </article>
  </li>`;
}

/* What there is before the end: the words so far, that it was stopped, or what went wrong. */
function Unanswered({ turn, put }) {
  const { status, text, problem } = turn;
  const again = html`<button class="button" type="button" onClick=${() => put(turn.question, turn.method)}>${t("ask_again")}</button>`;
  return html`
    ${text && html`<${Prose} text=${text} />`}
    ${status === "running" && !text && html`<p class="waiting soft"><span class="turning"></span><span>${doing(turn)}<${Seconds} since=${turn.at} /></span></p>`}
    ${status === "stopped" && html`<p class="soft again">${t("stopped")} ${again}</p>`}
    ${status === "failed" && html`<div class="note problem" role="alert"><p>${problem}</p>${again}</div>`}
  `;
}

/* How long a run is at work, where that is long. */
function Seconds({ since }) {
  const [now, setNow] = useState(since);
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(ticking);
  }, []);
  const n = Math.floor((now - since) / 1000);
  return n >= LONG && html`<span aria-hidden="true"> ${t("for_seconds", { n })}</span>`;
}

/* What the run does now, in a few words. */
function doing(turn) {
  const attempt = turn.trace.attempts.at(-1);
  if (!attempt) return t("asking");
  const { progress, method } = attempt;
  const word = progress ? t(`step_${progress.step}`) : "";
  const share = progress?.total > 1 ? ` ${progress.done}/${progress.total}` : "";
  return word && !word.startsWith("step_") ? `${word}${share}` : t("told_try", { method: methodTitle(method) });
}

function Answered({ turn, openDocument, put }) {
  const { output } = turn;
  if (isSearch(output)) return html`<${SearchResult} output=${output} openDocument=${openDocument} />`;
  const { answer, sufficient, citations } = output;
  const failed = hasFailed(output);
  return html`
    ${!sufficient && html`<${Lacking} output=${output} put=${put} />`}
    ${failed && html`<${Warnings} warnings=${output.warnings} />`}
    ${answer && html`<${Prose} text=${answer} citations=${citations} cite=${(n) => html`<${Cite} n=${n} citation=${citations[n - 1]} openDocument=${openDocument} />`} />`}
    ${citations.length > 0 && html`<${Sources} citations=${citations} title=${t(answer ? "sources" : "nearest")} lengths=${output.lengths} openDocument=${openDocument} />`}
    ${!answer && !citations.length && output.evidence.length > 0 && html`<h3 class="label">${t("nearest")}</h3>
      <${Passages} output=${output} most=${3} openDocument=${openDocument} />`}
    ${!failed && html`<${Warnings} warnings=${output.warnings} />`}
  `;
}

/* Whether the model gave nothing, so that the cause comes first. */
const hasFailed = ({ stop_reason: reason }) => reason === "model_failed";

/* Ends of a run that say nothing of what the documents hold. */
const BROKEN_OFF = ["model_failed", "time", "budget"];

/* What a search without a model found: a short answer where one is certain, and the passages. */
function SearchResult({ output, openDocument }) {
  const { missing = [] } = output;
  const isUnspoken = !output.answer && missing.length > 0 && output.evidence.length > 0;
  const certain = output.sufficient && output.answer;
  const failed = hasFailed(output);
  return html`
    ${failed && html`<${Warnings} warnings=${output.warnings} />`}
    ${certain && html`<p class="short-answer" lang=${languageOf(output.answer)}>${output.answer}</p>`}
    ${isUnspoken && html`<p class="note lacking" data-part="lacking"><b lang=${languageOf(missing[0])}>${unspokenIn(missing[0])}</b> ${t("nearest_follow")}</p>`}
    ${output.evidence.length
      ? html`<${Passages} isQuiet=${isUnspoken} output=${output} most=${isUnspoken ? 2 : 5} openDocument=${openDocument} />`
      : html`<p class="note">${missing[0] ?? t("found_none")}</p>`}
    ${!failed && html`<${Warnings} warnings=${output.warnings} />`}
  `;
}

/* Why there is no certain answer, and what is missing: each a question to ask next. */
function Lacking({ output, put }) {
  const { answer, missing, stop_reason: reason } = output;
  const questions = missing.filter((one) => /[?？]$|까$/.test(one.trim()));
  const sentences = missing.filter((one) => !questions.includes(one));
  return html`<div class="note lacking" data-part="lacking">
    <p><b>${t(answer ? "certain_not" : BROKEN_OFF.includes(reason) ? "no_answer" : "not_there")}</b> ${t(`why_${reason}`)}</p>
    ${missing.length > 0 && html`<h3 class="label">${t("missing")}</h3>
      <ul class="missing">
        ${sentences.map((one) => html`<li lang=${languageOf(one)}>${one}</li>`)}
        ${questions.map((one) => html`<li><button class="linklike" type="button" lang=${languageOf(one)} onClick=${() => put(one)}>${one}</button></li>`)}
      </ul>`}
  </div>`;
}

function Warnings({ warnings = [] }) {
  if (!warnings.length) return null;
  return html`<div class="note warning small warnings">
    <h3 class="label">${t("warnings")}</h3>
    <ul>${warnings.map((one) => html`<li>${one}</li>`)}</ul>
  </div>`;
}

/* How it was found in a sentence, its cost, and what can be done with the answer. */
function Foot({ turn, server, wide, isLooked, look }) {
  const methods = [...new Set(turn.trace.attempts.map((one) => one.method))];
  // Lexical embeddings know nothing of the meaning.
  const ways = methods.map((name) => `did_${name === "basic" && server?.embeddings === "lexical" ? "basic_lexical" : name}`);
  const said = ways.map((way) => t(way)).filter((words, at) => words !== ways[at]);
  return html`<footer class="foot">
    <div><p class="small" data-part="way">${said.join(" ")}</p><${Cost} turn=${turn} /></div>
    <span class="foot-ways">
      ${wide && hasWay(turn) && html`<button class="button quiet" type="button" aria-pressed=${`${isLooked}`} onClick=${() => look(isLooked ? "" : turn.id)}>${t("show_how")}</button>`}
      <button class="button quiet" type="button" onClick=${printed}>${t("print")}</button>
    </span>
  </footer>`;
}

/* Whether there is more to show of the way than its sentence and the passages of a plain search. */
const hasWay = ({ trace, output }) => trace.attempts.some((one) => one.method !== "basic" || !(output && isSearch(output)));

/* Prints this answer alone. */
function printed(event) {
  const turn = event.currentTarget.closest(".turn");
  document.body.classList.add("printing-one");
  turn.classList.add("printed");
  print();
  turn.classList.remove("printed");
  document.body.classList.remove("printing-one");
}

/* How it was found, below the answer where there is no room beside it; it stays as a person left it. */
function How({ turn, newest, openDocument }) {
  const [open] = useState(newest && turn.status !== "answered");
  return html`<details class="how-below" open=${open} data-part="how">
    <summary>${t("how")}</summary>
    <${Found} turn=${turn} openDocument=${openDocument} />
  </details>`;
}
