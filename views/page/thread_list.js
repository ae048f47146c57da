/* The list of conversations: beside the open one, or in a drawer where there is no room. */

import { html, useEffect, useFocusWithin, useRef, useState } from "./html.js";
import { open, remove, rename, start, useThreads } from "./threads.js";
import { languageOf, t } from "./words.js";

/* What a conversation is called. */
export const titleOf = (thread) => thread.title || thread.turns[0]?.question || t("untitled");

/* The conversations; on a narrow page a button in the head, which opens the list. */
export function ThreadList({ wide }) {
  const [drawn, setDrawn] = useState(false);
  if (wide) return html`<nav class="rail" aria-label=${t("conversations")}><${List} done=${() => {}} /></nav>`;
  return html`<div class="talk-bar">
      <button class="button quiet icon" type="button" aria-haspopup="dialog" aria-label=${t("conversations")} onClick=${() => setDrawn(true)}><${Lines} /></button>
    </div>
    ${drawn && html`<${Drawer} close=${() => setDrawn(false)} />`}`;
}

function Drawer({ close }) {
  const drawer = useRef();
  useFocusWithin(drawer);
  const closed = (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close();
  };
  return html`<div class="sheet-shade" onClick=${(event) => event.target === event.currentTarget && close()}>
    <div class="drawer" role="dialog" aria-modal="true" aria-label=${t("conversations")} ref=${drawer} tabindex="-1" onKeyDown=${closed}>
      <${List} done=${close} />
    </div>
  </div>`;
}

function List({ done }) {
  const { threads, thread } = useThreads();
  const begin = () => {
    start();
    done();
  };
  return html`
    <button class="button new" type="button" data-first onClick=${begin}><${Plus} />${t("new_conversation")}</button>
    <ul class="threads" data-part="threads">
      ${threads.filter((one) => one.turns.length).map((one) => html`<${Row} key=${one.id} thread=${one} current=${one === thread} done=${done} />`)}
    </ul>
  `;
}

function Row({ thread, current, done }) {
  const [doing, setDoing] = useState("");
  const title = titleOf(thread);
  const end = () => setDoing("");
  if (doing === "rename") return html`<li><${Renaming} thread=${thread} title=${title} end=${end} /></li>`;
  if (doing === "remove") return html`<li><${Removing} thread=${thread} end=${end} /></li>`;
  const chosen = () => {
    open(thread.id);
    done();
  };
  return html`<li class=${current ? "thread current" : "thread"}>
    <button class="thread-name" type="button" lang=${languageOf(title)} aria-current=${current ? "true" : null} onClick=${chosen}>${title}</button>
    <span class="thread-ways">
      <button class="button quiet icon" type="button" aria-label=${t("rename", { title })} onClick=${() => setDoing("rename")}><${Pen} /></button>
      <button class="button quiet icon" type="button" aria-label=${t("remove", { title })} onClick=${() => setDoing("remove")}><${Bin} /></button>
    </span>
  </li>`;
}

function Renaming({ thread, title, end }) {
  const field = useRef();
  useEffect(() => field.current.select(), []);
  const named = () => {
    rename(thread.id, field.current.value);
    end();
  };
  const pressed = (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter") named();
    if (event.key === "Escape") {
      event.stopPropagation();
      end();
    }
  };
  return html`<input class="field renaming" aria-label=${t("rename_to")} value=${title} maxlength="200" ref=${field} onKeyDown=${pressed} onBlur=${named} />`;
}

function Removing({ thread, end }) {
  const sure = useRef();
  const removed = () => {
    document.querySelector(".new").focus();
    remove(thread.id);
  };
  useEffect(() => sure.current.focus(), []);
  return html`<div class="removing" role="group" aria-label=${t("remove_sure")}>
    <p class="small">${t("remove_sure")}</p>
    <button class="button danger" type="button" ref=${sure} onClick=${removed}>${t("remove_yes")}</button>
    <button class="button quiet" type="button" onClick=${end}>${t("cancel")}</button>
  </div>`;
}

const icon = (path) => () =>
  html`<svg viewBox="0 0 20 20" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d=${path} /></svg>`;
const Lines = icon("M3 5h14M3 10h14M3 15h9");
const Plus = icon("M10 4v12M4 10h12");
const Pen = icon("M4 16l1-4L13.5 3.5l3 3L8 15z");
const Bin = icon("M4 6h12M8 6V4h4v2M6 6l.7 10h6.6L14 6");
