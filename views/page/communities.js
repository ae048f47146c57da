/* Communities: a map of circles in circles, a list to walk through, and the reports. */

import { Missing, placeOf } from "./explore.js";
import { GraphView } from "./graph_view.js";
import { html, useMemo, useState } from "./html.js";
import { Trouble, useReply } from "./looking.js";
import { CommunityReport, Heading } from "./report.js";
import { t } from "./words.js";

/* The view of communities; the address names the one that is looked into. */
export function CommunitiesView(given) {
  if (!given.server.layers.includes("communities")) return html`<${Missing} layer="communities" />`;
  return html`<${Communities} ...${given} />`;
}

function Communities({ index, path, openDocument }) {
  const [id = ""] = path;
  const [orphans, setOrphans] = useState(false);
  const [whole, wholeProblem, again] = useReply("page/communities", { index, orphans: orphans ? 1 : "" });
  const isHidden = Boolean(id && whole && isBare(whole, id));
  const [part] = useReply("page/communities", { index, within: id, orphans: orphans ? 1 : "" }, isHidden);
  const map = isHidden && part?.communities.some((one) => one.id === id) ? part : whole;
  const drawn = useMemo(() => map && drawing(map), [map]);
  if (wholeProblem) return html`<${Trouble} problem=${wholeProblem} again=${again} />`;
  if (!map) return html`<p class="empty">${t("loading")}</p>`;
  const known = new Map(map.communities.map((one) => [one.id, one]));
  const choose = (chosen) => {
    const to = known.has(chosen) ? placeOf("communities", chosen) : placeOf("entities", chosen);
    location.hash = to;
  };
  return html`<div class=${`map-view${id ? " chosen" : ""}`}>
    <${GraphView} placed nodes=${drawn.nodes} edges=${drawn.edges} chosen=${id} focus=${id}
      onChoose=${choose} label=${t("x_map", { n: known.size })} />
    <aside class="map-side" aria-label=${t("x_communities")}>
      <${Trail} known=${known} id=${id} />
      ${id && html`<${CommunityReport} key=${id} id=${id} index=${index} openDocument=${openDocument} />`}
      ${!id && html`<${Inside} known=${known} map=${map} orphans=${orphans} setOrphans=${setOrphans} />`}
    </aside>
  </div>`;
}

/* Whether the map does not show what is inside of a community. */
function isBare(map, id) {
  const one = map.communities.find((each) => each.id === id);
  if (!one) return true;
  const leaves = new Set(map.entities.map((each) => each.community));
  const inside = (each) => leaves.has(each) || map.communities.some((child) => child.parent === each && inside(child.id));
  return map.left_out.entities > 0 && !inside(id);
}

/* The nodes and edges of a map; a root gives its colour to all that is in it. */
function drawing(map) {
  const known = new Map(map.communities.map((one) => [one.id, one]));
  const roots = map.communities.filter((one) => !known.has(one.parent)).map((one) => one.id);
  const colours = new Map(roots.map((root, at) => [root, at]));
  const colourOf = (id) => colours.get(id) ?? colourOf(known.get(id).parent);
  const full = new Set([...map.communities.map((one) => one.parent), ...map.entities.map((one) => one.community)]);
  const circles = map.communities.map(({ parent, ...one }) => ({
    ...one,
    kind: full.has(one.id) ? "circle" : "circle bare",
    label: one.entities > 1 ? (full.has(one.id) ? one.title : `${one.title} · ${one.entities}`) : "",
    colour: colourOf(one.id),
  }));
  const entities = map.entities.map((one) => ({
    ...one,
    kind: "entity",
    label: one.name,
    colour: known.has(one.community) ? colourOf(one.community) : 0,
  }));
  const leaf = new Map(map.entities.map((one) => [one.id, one.community]));
  const edges = map.edges.map(([source, target]) => {
    const kind = leaf.get(source) === leaf.get(target) ? "relation" : "across";
    return { id: `${source} ${target}`, source, target, kind };
  });
  return { nodes: [...circles, ...entities], edges };
}

/* The way from the whole map down to a community. */
function Trail({ known, id }) {
  const path = [];
  for (let at = known.get(id); at; at = known.get(at.parent)) path.unshift(at);
  if (!id) return null;
  return html`<nav class="trail" aria-label=${t("x_trail")}>
    <a href=${placeOf("communities")}>${t("x_whole_map")}</a>
    ${path.slice(0, -1).map((one) => html`<span aria-hidden="true">›</span><a href=${placeOf("communities", one.id)}>${one.title}</a>`)}
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
    <span class="row-name">${one.title || t("x_community")}</span>
    <span class="row-more">${t("x_members", { n: one.entities })}</span>
  </a></li>`;
}
