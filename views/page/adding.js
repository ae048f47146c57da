/* Adding documents: files are uploaded, the plan says what reading them costs, then it is done. */

import { follow, postJson, upload } from "./api.js";
import { html, useEffect, useRef, useState } from "./html.js";
import { LAYERS } from "./layers.js";
import { known, number, t } from "./words.js";
import "./words_documents.js";

const FEW = 3;

/* What is being done to an index, and functions for it: plan, run, stop, close, cancel, discard. */
export function useIndexing(index, server, changed) {
  const missing = LAYERS.filter((name) => !server.layers.includes(name));
  const [now, setNow] = useState({ state: "idle" });
  const stop = useRef();
  const go = async (body, state, end) => {
    let told = null;
    stop.current = new AbortController();
    setNow({ state, steps: [], body });
    try {
      for await (const { event, data } of follow("page/index", { index, ...body }, stop.current.signal)) {
        if (event === "step") setNow((before) => stepped(before, data));
        else if (event === "error") setNow({ state: "failed", problem: data.detail });
        else if (event === "done") end((told = data));
      }
    } catch (error) {
      const problem = error.name === "AbortError" ? t("d_stopped") : error.message;
      setNow({ state: "failed", problem });
    }
    changed(); // files that were uploaded wait, even where they are only planned
    return told;
  };
  /* `refused` are files that were left out before, and `before` is what a run before it has done: told of at the end. */
  const run = (body, refused = [], before = null) =>
    go(body, "running", (done) => setNow({ state: "done", done, body, refused, before }));
  const plan = (body, refused = []) =>
    go({ ...body, dry_run: true }, "planning", ({ plan: planned, failures, warnings }) =>
      setNow({ state: "planned", body, planned, failures: [...refused, ...ofThese(failures, body)], warnings, refused }),
    );
  const send = async (files) => {
    setNow({ state: "sending", share: 0 });
    try {
      const path = `page/upload?index=${encodeURIComponent(index)}`;
      const told = (share) => setNow({ state: "sending", share });
      const { paths, refused } = await upload(path, files, told);
      if (paths.length) await read(paths, refused);
      else setNow({ state: "failed", problem: t("d_all_refused"), refused });
    } catch (error) {
      setNow({ state: "failed", problem: error.message });
    }
  };
  /* Reads files: at once where that costs nothing, else when a person has seen the price. */
  const read = async (paths, refused) => {
    const told = await plan({ paths }, refused);
    const isFree = told?.plan.documents > 0 && !asksModels(told.plan);
    const done = isFree && (await run({ paths }, refused));
    if (done && missing.length) await run({ layers: missing }, [...refused, ...ofThese(done.failures, { paths })], done);
  };
  const busy = ["sending", "planning", "running"].includes(now.state);
  const close = () => setNow({ state: "idle" });
  const discard = async (paths) => {
    // One by one, since another run may have read some of them meanwhile.
    await Promise.allSettled(paths.map((path) => postJson("page/discard", { index, paths: [path] })));
    changed();
  };
  const cancel = () => {
    close();
    discard(now.body?.paths ?? []);
  };
  return { ...now, busy, run, plan, send, close, cancel, discard, stop: () => stop.current?.abort() };
}

/* The steps so far, each with how much of it is done. */
function stepped(now, { step, done, total }) {
  const steps = (now.steps ?? []).filter((one) => one.step !== step);
  return { ...now, steps: [...steps, { step, done, total }] };
}

/* The place for files with all that becomes of them; `changed` is called when the index has changed. */
export function AddingHere({ server, index, changed }) {
  const indexing = useIndexing(index, server, changed);
  return html`<div class="adding"><${Adding} indexing=${indexing} server=${server} /><${Going} indexing=${indexing} /></div>`;
}

/* The place to drop files on, or to choose them. */
export function Adding({ indexing, server }) {
  const [over, setOver] = useState(false);
  const chooser = useRef();
  const take = (files) => files.length && !indexing.busy && indexing.send([...files]);
  useDrops(setOver, take);
  return html`<div class=${`drop${over ? " over" : ""}`} data-part="drop">
    <p class="for-mouse">${t("d_drop")}</p>
    <input class="sr-only" type="file" multiple tabindex="-1" aria-hidden="true" ref=${chooser}
      onChange=${(event) => {
        take(event.target.files);
        event.target.value = "";
      }} />
    <button class="button primary" type="button" disabled=${indexing.busy} onClick=${() => chooser.current.click()}>${t("d_choose")}</button>
    <p class="small soft">${t("d_kinds")} ${t(server.offline ? "d_free" : "d_price_first", server)}</p>
  </div>`;
}

/* Has files dropped anywhere on the page while the place for them is shown. */
function useDrops(setOver, take) {
  const taken = useRef();
  taken.current = take;
  useEffect(() => {
    const stop = new AbortController();
    const on = (name, act) => addEventListener(name, (event) => (event.preventDefault(), act(event)), { signal: stop.signal });
    on("dragover", () => setOver(true));
    on("dragleave", (event) => event.relatedTarget || setOver(false));
    on("drop", (event) => {
      setOver(false);
      taken.current(event.dataTransfer.files);
    });
    return () => stop.abort();
  }, []);
}

/* What is going on: the upload, the plan, the steps, and how it ended. */
export function Going({ indexing }) {
  const { state } = indexing;
  if (state === "idle") return null;
  const parts = { sending: Sending, planning: Steps, planned: Planned, running: Steps, done: Done, failed: Failed };
  return html`<section class="card going" aria-label=${t("d_going")} aria-live="polite" data-part=${`indexing-${state}`}>
    <${parts[state]} ...${indexing} />
  </section>`;
}

function Sending({ share }) {
  return html`<p>${t("d_sending")}</p><progress max="1" value=${share} aria-label=${t("d_sending")}></progress>`;
}

function Steps({ state, steps, body, stop }) {
  return html`<p class="line"><span class="turning" aria-hidden="true"></span> ${t(state === "planning" ? "d_planning" : body.layers ? "d_connecting" : "d_running")}</p>
    <ul class="steps" aria-live="off">
      ${steps.map(
        ({ step, done, total }) => html`<li key=${step}>
          <span>${known(`step_${step}`) ? t(`step_${step}`) : step}</span>
          <progress max=${total || 1} value=${done ?? 0} aria-label=${step}></progress>
          <span class="soft small">${number(Math.floor(done ?? 0))} / ${number(total ?? 0)}</span>
        </li>`,
      )}
    </ul>
    <button class="button" type="button" onClick=${stop}>${t("d_stop")}</button>`;
}

/* What a run would read and cost, before it starts. */
function Planned({ planned, body, failures, warnings, run, cancel }) {
  const { documents, passages, missing_replies: replies, reply_tokens: tokens, embedding_tokens: embedded } = planned;
  const asks = asksModels(planned);
  const nothing = !documents && !passages && !replies && !body.layers;
  const title = body.layers ? t("d_layers_plan", namesOf(body)) : t("d_plan", { documents, passages });
  const none = t(failures.length ? "d_none_read" : "d_nothing_new");
  return html`<h2>${nothing ? none : title}</h2>
    ${asks && html`<p>${t("d_asks", { replies, tokens: tokens + embedded })}</p>`}
    ${!nothing && html`<p data-part="price">${asks ? (planned.cost === undefined ? t("d_price_unknown") : t("d_price", { cost: dollars(planned.cost) })) : t("d_costs_nothing")}</p>`}
    ${warnings.map((one) => html`<p class="small soft">${one}</p>`)}
    ${failures.length > 0 && html`<${Failures} failures=${failures} />`}
    <div class="line">
      ${!nothing && html`<button class="button primary" type="button" onClick=${() => run(body)}>${t("d_go")}</button>`}
      <button class="button" type="button" onClick=${cancel}>${t(nothing ? "close" : "cancel")}</button>
    </div>`;
}

function Done({ done, body, refused, before, close }) {
  const { usage, warnings } = done;
  const failures = before ? refused : [...refused, ...ofThese(done.failures, body)];
  const said = before ? `${t("d_done", before)} ${t("d_connected")}` : body.layers ? t("d_layers_done", namesOf(body)) : t("d_done", done);
  return html`<h2>${said}</h2>
    ${usage.cost > 0 && html`<p>${t("d_cost", { cost: dollars(usage.cost) })}</p>`}
    ${warnings.map((one) => html`<p class="small soft">${one}</p>`)}
    ${failures.length > 0 && html`<${Failures} failures=${failures} />`}
    <button class="button" type="button" onClick=${close}>${t("close")}</button>`;
}

const asksModels = ({ missing_replies: replies, embedding_tokens: embedded }) => replies > 0 || embedded > 0;

const namesOf = ({ layers }) => ({ layers: layers.map((name) => t(`layer_${name}`)).join(", ") });

function Failed({ problem, refused = [], close }) {
  return html`<p role="alert">${problem}</p>
    ${refused.length > 0 && html`<${Failures} failures=${refused} />`}
    <button class="button" type="button" onClick=${close}>${t("close")}</button>`;
}

const ROW = /, (?:row|line) \d+$/; // at the end of a path

/* The failures of the files that were sent now; others wait since before, and have told theirs. */
const ofThese = (failures, { paths }) =>
  paths ? failures.filter(({ path }) => paths.some((sent) => path.replace(ROW, "").endsWith(sent))) : failures;

/* Files, and rows of files, that could not be read, and why; open where they are few. */
export function Failures({ failures }) {
  const rows = failures.filter(({ path }) => ROW.test(path)).length;
  return html`<details class="failures" data-part="failures" open=${failures.length <= FEW}>
    <summary>${t("d_failures", { files: failures.length - rows, rows })}</summary>
    <ul class="facts">
      ${failures.map(({ path, reason }) => html`<li key=${path}><b>${path.split("/").at(-1)}</b> ${reason.startsWith(path) ? reason.slice(path.length) : reason}</li>`)}
    </ul>
  </details>`;
}

/* A price in US dollars, as exact as its size asks for. */
const dollars = (cost) =>
  number(cost, { style: "currency", currency: "USD", maximumFractionDigits: cost < 0.1 ? 4 : 2 });
