/* The layers of an index: those that it has, and a button to make or finish each other one. */

import { html } from "./html.js";
import { t } from "./words.js";

/* The layers beside the passages, in the order in which they are made. */
export const LAYERS = ["sentences", "hops", "entities", "communities"];

/* The list of layers, where one is missing or behind the documents. */
export function Layers({ server, indexing }) {
  const missing = LAYERS.filter((name) => !server.layers.includes(name));
  if (!missing.length && !LAYERS.some((name) => server.behind[name])) return null;
  return html`<section class="layers" aria-label=${t("d_layers")} data-part="layers">
    <h2>${t("d_layers")}</h2>
    <p class="small soft">${t("d_layers_help")}</p>
    <ul>
      ${LAYERS.map((name) => html`<${Layer} key=${name} name=${name} has=${!missing.includes(name)} server=${server} indexing=${indexing} />`)}
    </ul>
  </section>`;
}

function Layer({ name, has, server, indexing }) {
  const begun = server.unfinished.includes(name);
  const layer = t(`layer_${name}`);
  const layers = name === "communities" ? ["entities", "communities"] : [name];
  return html`<li class="layer" data-part=${`layer-${name}`}>
    <div>
      <b>${layer}</b> ${(has || begun) && html`<span class="chip">${t(begun ? "d_begun" : "d_made")}</span>`}
      <p class="small soft">${t(`layer_${name}_for`)}</p>
      ${server.behind[name] && html`<p class="small" data-part="behind">${t("d_behind", { number: server.behind[name] })}</p>`}
    </div>
    ${!has && server.uploads &&
    html`<button class="button" type="button" disabled=${indexing.busy} aria-label=${t(begun ? "d_finish_this" : "d_make_this", { layer })}
      onClick=${() => indexing.plan({ layers })}>${t(begun ? "d_finish" : "d_make")}</button>`}
  </li>`;
}
