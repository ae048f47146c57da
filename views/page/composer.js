/* Where a question is written, and how it is to be answered. */

import { html, useClosing, useEffect, useLayoutEffect, useRef, useState } from "./html.js";
import { methodDescription, methodTitle } from "./methods.js";
import { t } from "./words.js";

/* The field for a question, with the method. Enter asks, Shift+Enter breaks the line. What is
   written stays until it is asked. */
export function Composer({ server, running, put, stop, active, thread }) {
  const [text, setText] = useState("");
  const [method, setMethod] = useState("auto");
  const [wish, setWish] = useState({ web: true, plan: false, tree: false });
  const field = useRef();
  useGrowing(field, text);
  useEffect(() => {
    if (active) toComposer();
  }, [active, thread]);
  const obstacle = method === "auto" ? "" : server.obstacles[method];
  const ready = text.trim() && !running && !obstacle && server.documents > 0;
  const sent = () => {
    if (!ready) return;
    put(text.trim(), method, { ...wish, web: server.web && wish.web });
    setText("");
  };
  const pressed = (event) => {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    sent();
  };
  const sends = t(server.offline ? "search" : "send");
  const submitted = (event) => {
    event.preventDefault();
    sent();
  };
  return html`<form class="composer measure" onSubmit=${submitted} data-part="composer">
    <div class="composer-box">
      <textarea
        ref=${field}
        rows="1"
        aria-label=${t("question")}
        placeholder=${t(server.offline ? "search_placeholder" : "ask_placeholder")}
        value=${text}
        onInput=${(event) => setText(event.target.value)}
        onKeyDown=${pressed}
      ></textarea>
      <${Methods} method=${method} choose=${setMethod} server=${server} wish=${wish} setWish=${setWish} />
      ${running
        ? html`<button class="button send" type="button" aria-label=${t("stop")} title=${t("stop")} onClick=${stop}><span class="square"></span></button>`
        : html`<button class="button primary send" type="submit" aria-label=${sends} title=${sends} disabled=${!ready}><svg viewBox="0 0 20 20" width="18" height="18" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true"><path d=${SIGNS[server.offline ? "search" : "send"]} /></svg></button>`}
    </div>
    ${obstacle && html`<p class="small note warning">${obstacle}</p>`}
  </form>`;
}

const SIGNS = { search: "M12.6 12.6L17 17M14 8.5a5.5 5.5 0 1 1-11 0a5.5 5.5 0 0 1 11 0z", send: "M10 16V4M4.5 9.5L10 4l5.5 5.5" };

/* Moves the focus to the field for a question, but where that would open a keyboard on the screen. */
export function toComposer() {
  if (matchMedia("(hover: hover)").matches) document.querySelector(".composer textarea")?.focus();
}

/* The choice of a method, with what each one does or what stands in its way. */
function Methods({ method, choose, server, wish, setWish }) {
  const menu = useRef();
  useClosing(menu);
  const chosen = (name, closes) => {
    choose(name);
    if (!closes) return;
    menu.current.open = false;
    menu.current.querySelector("summary").focus();
  };
  const plans = !server.offline && ["auto", "deeprag"].includes(method);
  return html`<details class="menu" ref=${menu}>
    <summary class="button quiet" aria-label=${`${t("method")}: ${nameOf(method)}`}><span class=${method === "auto" ? "long" : "cut"}>${nameOf(method)}</span> <span aria-hidden="true">▾</span></summary>
    <div class="menu-sheet">
      <fieldset>
        <legend class="sr-only">${t("method")}</legend>
        ${["auto", ...server.methods.map((one) => one.name)].map((name) => html`<${Method} name=${name} checked=${name === method} obstacle=${server.obstacles[name]} chosen=${chosen} />`)}
      </fieldset>
      ${server.web && html`<${Wished} key="web" word="confirm_web" on=${wish.web} set=${(web) => setWish({ ...wish, web })} />`}
      ${plans && html`<${Wished} key="plan" word="confirm_plan" on=${wish.plan} set=${(plan) => setWish({ ...wish, plan })} />`}
      ${plans && html`<${Wished} key="tree" word="as_tree" on=${wish.tree} set=${(tree) => setWish({ ...wish, tree })} />`}
    </div>
  </details>`;
}

const nameOf = (method) => (method === "auto" ? t("auto") : methodTitle(method));

function Method({ name, checked, obstacle, chosen }) {
  return html`<label class=${obstacle ? "method out" : "method"}>
    <input
      type="radio"
      name="method"
      value=${name}
      checked=${checked}
      disabled=${Boolean(obstacle)}
      onClick=${(event) => chosen(name, event.detail > 0)}
      onKeyDown=${(event) => event.key === "Enter" && (event.preventDefault(), chosen(name, true))}
    />
    <span><b>${nameOf(name)}</b><span class="soft small">${obstacle || methodDescription(name)}</span></span>
  </label>`;
}

function Wished({ word, on, set }) {
  return html`<label class="method confirm">
    <input type="checkbox" checked=${on} onChange=${(event) => set(event.target.checked)} />
    <span class="small">${t(word)}</span>
  </label>`;
}

/* Lets a field grow with its text, up to a third of the page. */
function useGrowing(field, text) {
  useLayoutEffect(() => {
    const { style } = field.current;
    style.height = "auto";
    style.height = `${Math.min(field.current.scrollHeight, innerHeight / 3)}px`;
  }, [text]);
}
