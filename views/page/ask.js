/* Asking: conversations, and answers that can be followed. */

import { Turn } from "./answer.js";
import { Composer, toComposer } from "./composer.js";
import { Found } from "./found.js";
import { WIDE, html, useEffect, useMedia, useRef, useState } from "./html.js";
import { methodTitle } from "./methods.js";
import { ThreadList, titleOf } from "./thread_list.js";
import { ask, resume, stop, useThreads } from "./threads.js";
import { Welcome } from "./welcome.js";
import { t } from "./words.js";
import "./words_ask.js";

/* The view of conversations: their list, the open one, and how its answers were found. */
export function AskView({ server, index, refresh, openDocument, active }) {
  const { thread, threads, full } = useThreads();
  const [looked, setLooked] = useState("");
  const wide = useMedia(WIDE);
  const { turns } = thread;
  const last = turns.at(-1);
  const running = last && ["running", "paused"].includes(last.status) ? last : null;
  const column = useRef();
  useNewest(column, thread.id, turns.length);
  const shown = wide && turns.find((turn) => turn.id === looked);
  const put = (question, method = "auto", { web = false, plan = false, tree = false } = {}) => {
    setLooked((before) => (before ? "next" : ""));
    ask({ question, method, index, confirm: { web, plan }, tree });
    toComposer();
  };
  useEffect(() => void (looked === "next" && last && setLooked(last.id)), [looked, last?.id]);
  const given = { server, openDocument, wide, put, resume, looked, look: setLooked };
  const pressed = (event) => event.key === "Escape" && running && stop(running.id);
  const railed = threads.some((one) => one.turns.length);
  const composer = html`<${Composer} key="composer" server=${server} running=${running} put=${put} stop=${() => stop(running.id)} active=${active} thread=${thread.id} />`;
  return html`<div class=${`ask${railed ? " railed" : ""}${shown ? " sided" : ""}`} data-part="ask" onKeyDown=${pressed}>
    ${railed && html`<${ThreadList} wide=${wide} />`}
    <div class="talk">
      ${turns.length > 0 && html`<h1 class="sr-only">${titleOf(thread)}</h1>`}
      <div class=${`talk-scroll${turns.length ? "" : " fresh"}`} ref=${column} tabindex="-1">
        ${full && html`<p class="note warning measure">${t("not_kept")}</p>`}
        ${!turns.length && html`<${Welcome} server=${server} index=${index} put=${put} refresh=${refresh} openDocument=${openDocument}>${composer}</${Welcome}>`}
        ${turns.length > 0 && html`<ol class="turns">
          ${turns.map((turn) => html`<${Turn} key=${turn.id} turn=${turn} newest=${turn === last} ...${given} />`)}
        </ol>
        ${composer}`}
      </div>
      <${Told} turn=${last} />
    </div>
    ${shown && html`<${Side} turn=${shown} close=${() => setLooked("")} openDocument=${(place) => openDocument({ ...place, index: shown.index })} />`}
  </div>`;
}

/* The panel beside the conversation. */
function Side({ turn, close, openDocument }) {
  return html`<aside class="side" aria-label=${t("how")} data-part="how">
    <div class="line spread"><h2 class="side-title">${t("how")}</h2>
      <button class="button quiet icon" type="button" aria-label=${t("close")} onClick=${close}>✕</button></div>
    <${Found} turn=${turn} openDocument=${openDocument} />
  </aside>`;
}

/* Tells screen readers what happens: a method is tried, the run waits, the answer is there. */
function Told({ turn }) {
  return html`<p class="sr-only" role="status" aria-live="polite">${turn ? said(turn) : ""}</p>`;
}

function said(turn) {
  const { status, output, problem } = turn;
  if (status === "running") {
    const attempt = turn.trace.attempts.at(-1);
    return attempt ? t("told_try", { method: methodTitle(attempt.method) }) : t("asking");
  }
  if (status === "paused") return t("told_paused");
  if (status !== "answered") return problem || t("stopped");
  if (output.answer) return t("told_ready", { answer: output.answer });
  return t("told_found", { n: output.evidence.length });
}

/* Shows a new question at the top of the column, so that its answer has room below. */
function useNewest(column, thread, count) {
  const before = useRef({});
  useEffect(() => {
    const grown = before.current.thread === thread && count > before.current.count;
    before.current = { thread, count };
    const last = column.current.querySelector(".turn:last-child");
    if (grown) last?.scrollIntoView({ block: "start", behavior: "smooth" });
    else column.current.scrollTop = last ? last.offsetTop : 0;
  }, [thread, count]);
}
