/* Asking: conversations, and answers that can be followed. */

import { getJson } from "./api.js";
import { Turn } from "./answer.js";
import { Composer, toComposer } from "./composer.js";
import { Found } from "./found.js";
import { WIDE, html, useEffect, useMedia, useRef, useState } from "./html.js";
import { methodTitle } from "./methods.js";
import { ThreadList, titleOf } from "./thread_list.js";
import { ask, resume, stop, useThreads } from "./threads.js";
import { t } from "./words.js";
import "./words_ask.js";

/* The view of conversations: their list, the open one, and how its answers were found. */
export function AskView({ server, index, openDocument, active }) {
  const { thread, full } = useThreads();
  const [looked, setLooked] = useState("");
  const wide = useMedia(WIDE);
  const { turns } = thread;
  const last = turns.at(-1);
  const running = last && ["running", "paused"].includes(last.status) ? last : null;
  const column = useRef();
  useNewest(column, thread.id, turns.length);
  const shown = turns.find((turn) => turn.id === looked) ?? last;
  const put = (question, method = "auto", { web = false, plan = false, tree = false } = {}) => {
    setLooked("");
    ask({ question, method, index, confirm: { web, plan }, tree });
    toComposer();
  };
  const given = { server, openDocument, wide, put, resume, look: setLooked };
  const pressed = (event) => event.key === "Escape" && running && stop(running.id);
  return html`<div class="ask" data-part="ask" onKeyDown=${pressed}>
    <${ThreadList} wide=${wide} />
    <div class="talk">
      ${turns.length > 0 && html`<h1 class="sr-only">${titleOf(thread)}</h1>`}
      <div class="talk-scroll" ref=${column} tabindex="-1">
        ${full && html`<p class="note warning measure">${t("not_kept")}</p>`}
        ${!turns.length && html`<${Welcome} server=${server} index=${index} put=${put} />`}
        <ol class="turns">
          ${turns.map((turn) => html`<${Turn} key=${turn.id} turn=${turn} newest=${turn === last} looked=${turn === shown} ...${given} />`)}
        </ol>
        <${Composer} server=${server} running=${running} put=${put} stop=${() => stop(running.id)} active=${active} thread=${thread.id} />
      </div>
      <${Told} turn=${last} />
    </div>
    ${wide && html`<${Side} turn=${shown} openDocument=${(place) => openDocument({ ...place, index: shown.index })} />`}
  </div>`;
}

/* The panel beside the conversation. */
function Side({ turn, openDocument }) {
  return html`<aside class="side" aria-label=${t("how")} data-part="how">
    <h2 class="side-title">${t("how")}</h2>
    ${turn ? html`<${Found} turn=${turn} openDocument=${openDocument} />` : html`<p class="soft">${t("how_empty")}</p>`}
  </aside>`;
}

/* What is said where nothing was asked yet. */
function Welcome({ server, index, put }) {
  const examples = useExamples(server, index);
  if (!server.documents) {
    return html`<div class="empty welcome">
      <h1>${t("nothing_yet")}</h1>
      ${server.problem && html`<p>${server.problem}</p>`}
      ${server.uploads && html`<a class="button primary" href="#documents">${t("add_documents")}</a>`}
    </div>`;
  }
  return html`<div class="welcome measure">
    <h1>${t("welcome")}</h1>
    <p class="soft">${t(server.offline ? "welcome_search" : "welcome_size", server)}</p>
    ${examples.length > 0 &&
    html`<h2 class="small soft">${t("examples")}</h2>
      <ul class="examples">
        ${examples.map((one) => html`<li><button class="example" type="button" onClick=${() => put(one)}>${one}</button></li>`)}
      </ul>`}
    ${server.offline && html`<p class="note small"><b>${t("no_model")}</b> ${t("no_model_how")}</p>`}
  </div>`;
}

/* Questions about the titles of up to four documents, spread over the list. */
function useExamples(server, index) {
  const [titles, setTitles] = useState([]);
  useEffect(() => {
    if (!server.documents) return;
    getJson("page/documents", { index, most: 40 }).then(
      ({ documents }) => setTitles(documents.map((one) => one.title).filter(isTitle)),
      () => setTitles([]),
    );
  }, [index, server.documents]);
  const step = Math.max(1, Math.floor(titles.length / 4));
  return titles.filter((_, place) => place % step === 0).slice(0, 4).map((title) => t("example", { title }));
}

const isTitle = (title) => title && title.length <= 60 && !/[/\\_]|\.\w{2,4}$/.test(title);

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
