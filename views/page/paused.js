/* A run that waits for a person: web searches or a plan, to be changed, sent or refused. */

import { toComposer } from "./composer.js";
import { html, useEffect, useRef, useState } from "./html.js";
import { t } from "./words.js";

/* The lines of a plan as fields, in which Enter goes on, with Go on and Don't. */
export function Paused({ turn, resume }) {
  const { kind, items, most = 3 } = turn.paused;
  const [lines, setLines] = useState(items);
  const first = useRef();
  useEffect(() => {
    first.current?.focus();
    return toComposer;
  }, []);
  const changed = (place, text) => setLines(lines.map((line, at) => (at === place ? text : line)));
  const given = lines.map((line) => line.trim()).filter(Boolean);
  const sent = (event) => {
    event.preventDefault();
    if (given.length) resume(turn, given);
  };
  const pressed = (event) => event.key === "Enter" && !event.isComposing && sent(event);
  return html`<form class="card paused" onSubmit=${sent} data-part="paused">
    <h3>${t(kind === "web" ? "paused_web" : "paused_plan")}</h3>
    <p class="soft small">${t("paused_edit")}</p>
    <ol>
      ${lines.map((line, place) => html`<li key=${place}>
        <textarea
          class="field"
          rows="1"
          aria-label=${t("paused_item", { n: place + 1 })}
          value=${line}
          ref=${place === 0 ? first : null}
          onInput=${(event) => changed(place, event.target.value)}
          onKeyDown=${pressed}
        ></textarea>
        <button class="button quiet icon" type="button" aria-label=${t("paused_remove", { n: place + 1 })} onClick=${() => setLines(lines.filter((_, at) => at !== place))}>✕</button>
      </li>`)}
    </ol>
    ${turn.problem && html`<p class="note problem small" role="alert">${turn.problem}</p>`}
    <p class="paused-ways">
      <button class="button primary" type="submit" disabled=${!given.length || given.length > most}>${t("go_on")}</button>
      <button class="button" type="button" onClick=${() => resume(turn, false)}>${t(kind === "web" ? "no_search" : "no_plan")}</button>
      ${lines.length < most && html`<button class="button quiet" type="button" onClick=${() => setLines([...lines, ""])}>${t("paused_add")}</button>`}
    </p>
  </form>`;
}
