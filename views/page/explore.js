/* Explore: passages, entities, communities and the graph of an index, each a view of its own. */

import { html, useEffect, useState } from "./html.js";
import { placeOf } from "./places.js";
import { t } from "./words.js";
import "./words_explore.js";

const VIEWS = {
  communities: () => import("./communities.js").then((part) => part.CommunitiesView),
  entities: () => import("./entities.js").then((part) => part.EntitiesView),
  passages: () => import("./passages.js").then((part) => part.PassagesView),
  graph: () => import("./graph.js").then((part) => part.GraphWalk),
};

/* The tab Explore; `path` is what the address says after it. */
export function ExploreView(given) {
  const { server, active, path } = given;
  const [kept, keep] = useState([]);
  useEffect(() => void (active && keep(path)), [active, path.join("/")]);
  const [asked, ...rest] = active ? path : kept;
  if (server.problem) return html`<p class="empty" role="status">${server.problem}</p>`;
  if (!server.documents) return html`<${Nothing} />`;
  const name = asked in VIEWS ? asked : first(server.layers);
  return html`<div class="explore" data-part="explore">
    <h1 class="sr-only">${t("explore")}: ${t(`x_${name}`)}</h1>
    <nav class="views" aria-label=${t("x_views")}>
      ${Object.keys(VIEWS).map(
        (each) =>
          html`<a href=${placeOf(each)} aria-current=${each === name ? "page" : null}>${t(`x_${each}`)}</a>`,
      )}
    </nav>
    <div class="view" data-part=${name}>
      <${View} key=${`${given.index} ${name}`} ...${given} name=${name} path=${asked in VIEWS ? rest : []} />
    </div>
  </div>`;
}

const first = (layers) =>
  layers.includes("communities") ? "communities" : layers.includes("entities") ? "entities" : "passages";

function Nothing() {
  return html`<div class="empty">
    <p>${t("x_empty")}</p>
    <a class="button primary" href="#documents">${t("x_to_documents")}</a>
  </div>`;
}

function View({ name, ...given }) {
  const [view, setView] = useState(null);
  const [missing, setMissing] = useState(false);
  useEffect(() => {
    VIEWS[name]().then(
      (found) => setView(() => found),
      () => setMissing(true),
    );
  }, [name]);
  if (missing) return html`<p class="empty" role="alert">${t("part_missing")}</p>`;
  return view ? html`<${view} ...${given} />` : html`<p class="empty">${t("loading")}</p>`;
}
