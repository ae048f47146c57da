/* Communities: a map of circles in circles, a list to walk through, and the reports. */

import { DrawingView } from "./drawing.js";
import { html, useMemo, useState } from "./html.js";
import { Missing, Trouble, useReply } from "./looking.js";
import { placeOf } from "./places.js";
import { sceneOf } from "./map_scene.js";
import { CommunityReport, Heading } from "./report.js";
import { languageOf, t } from "./words.js";

/* The view of communities; the address names the one that is looked into. */
export function CommunitiesView(given) {
  if (!given.server.layers.includes("communities")) return html`<${Missing} server=${given.server} layer="communities" />`;
  return html`<${Communities} ...${given} />`;
}

function Communities({ index, path, openDocument }) {
  const [id = ""] = path;
  const [orphans, setOrphans] = useState(false);
  const [whole, wholeProblem, again] = useReply("page/communities", { index, orphans: orphans ? 1 : "" });
  const isHidden = useMemo(() => Boolean(id && whole && isBare(whole, id)), [id, whole]);
  const [part] = useReply("page/communities", { index, within: id, orphans: orphans ? 1 : "" }, isHidden);
  const map = isHidden && part?.communities.some((one) => one.id === id) ? part : whole;
  const scene = useMemo(() => map && sceneOf(map), [map]);
  if (wholeProblem) return html`<${Trouble} problem=${wholeProblem} again=${again} />`;
  if (!map) return html`<p class="empty">${t("loading")}</p>`;
  const known = scene.known;
  const choose = (chosen) => {
    const view = !chosen || known.has(chosen) ? "communities" : "entities";
    location.hash = placeOf(view, ...(chosen ? [chosen] : []));
  };
  return html`<div class=${`map-view${id ? " chosen" : ""}`}>
    <${DrawingView} scene=${scene} chosen=${id} onChoose=${choose} label=${t("x_map", { n: known.size })} />
    <aside class="map-side" aria-label=${t("x_communities")}>
      <${Trail} known=${known} id=${id} />
      ${id && html`<${CommunityReport} key=${id} id=${id} index=${index} openDocument=${openDocument} />`}
      ${!id && html`<${Inside} known=${known} map=${map} orphans=${orphans} setOrphans=${setOrphans} />`}
    </aside>
  </div>`;
}

/* Whether the map does not show what is inside of a community. */
function isBare(map, id) {
  const parents = new Map(map.communities.map((one) => [one.id, one.parent]));
  if (!parents.has(id)) return true;
  const filled = new Set();
  for (const [, , , , at] of map.entities) {
    let one = map.communities[at]?.id;
    for (; one && !filled.has(one); one = parents.get(one)) filled.add(one);
  }
  return map.left_out.entities > 0 && !filled.has(id);
}

/* The way from the whole map down to a community. */
function Trail({ known, id }) {
  const path = [];
  for (let at = known.get(id); at; at = known.get(at.parent)) path.unshift(at);
  if (!id) return null;
  return html`<nav class="trail" aria-label=${t("x_trail")}>
    <a href=${placeOf("communities")}>${t("x_whole_map")}</a>
    ${path.slice(0, -1).map((one) => html`<span aria-hidden="true">›</span><a lang=${languageOf(one.title)} href=${placeOf("communities", one.id)}>${one.title}</a>`)}
  </nav>`;
}

/* The communities of the first level, with what the map leaves out. */
function Inside({ known, map, orphans, setOrphans }) {
  const roots = map.communities.filter((one) => !known.has(one.parent) && one.entities > 1);
  const hidden = map.left_out;
  return html`<${Heading}>${t("x_communities_n", { n: roots.length })}<//>
    <p class="small soft">${t("x_map_help")}</p>
    ${hidden.communities + hidden.entities > 0 && html`<p class="small soft">${t("x_left_out", hidden)}</p>`}
    ${map.orphans > 0 &&
    html`<label class="check"><input type="checkbox" checked=${orphans} onChange=${(event) => setOrphans(event.target.checked)} />
      <span>${t("x_orphans", { n: map.orphans })}</span></label>`}
    <ul class="rows" data-part="community-list">
      ${roots.map((one) => html`<${CommunityRow} key=${one.id} one=${one} />`)}
    </ul>`;
}

function CommunityRow({ one }) {
  return html`<li><a class="row" href=${placeOf("communities", one.id)}>
    <span class="row-name" lang=${languageOf(one.title)}>${one.title || t("x_community")}</span>
    <span class="row-more">${t("x_members", { n: one.entities })}</span>
  </a></li>`;
}
