/* The report on a community: what it says, from which sentences, and what is inside. */

import { html, useEffect, useRef, useState } from "./html.js";
import { Cited, Trouble, useReply } from "./looking.js";
import { placeOf } from "./places.js";
import { languageOf, number, t } from "./words.js";

const FEW = 2;

/* The report on the community `id`. */
export function CommunityReport({ id, index, openDocument }) {
  const [found, problem, again] = useReply("page/community", { index, id });
  if (problem) return html`<${Trouble} problem=${problem} again=${again} />`;
  if (!found) return html`<p class="soft">${t("loading")}</p>`;
  const summary = unsaid(found);
  const rating = found.rating > 0 ? ` · ${t("x_rating", { rating: number(found.rating) })}` : "";
  return html`<article class="report" data-part="report">
    <${Heading} lang=${languageOf(found.title)}>${found.title || t("x_community")}<//>
    <p class="small soft">${t("x_members", { n: found.size })}${rating}</p>
    ${summary && html`<p lang=${languageOf(summary)}>${summary}</p>`}
    ${!found.summary && html`<p class="soft">${t("x_untold")}</p>`}
    ${found.findings.length > 0 &&
    html`<h3>${t("x_findings")}</h3>
      <ol class="facts findings">
        ${found.findings.map((one, at) => html`<li key=${at}><${Finding} one=${one} openDocument=${openDocument} /></li>`)}
      </ol>`}
    ${found.children.length > 0 &&
    html`<h3>${t("x_inside")}</h3>
      <ul class="rows">
        ${found.children.map(
          (one) => html`<li key=${one.id}><a class="row" href=${placeOf("communities", one.id)}>
            <span class="row-name" lang=${languageOf(one.title)}>${one.title || t("x_community")}</span>
            <span class="row-more">${t("x_members", { n: one.size })}</span>
          </a></li>`,
        )}
      </ul>`}
    <h3>${t("x_entities")}</h3>
    <ul class="chips">
      ${found.entities.map((one) => html`<li key=${one.id}><a class="chip" lang=${languageOf(one.name)} href=${placeOf("entities", one.id)}>${one.name}</a></li>`)}
    </ul>
  </article>`;
}

/* The summary without lines that stand below: statements with their sentences, and lists of what is inside. */
function unsaid({ summary, findings, entities }) {
  const stated = new Set(findings.map((one) => one.statement));
  const names = new Set(entities.map((one) => one.name));
  const isBelow = (line) => stated.has(line) || line.split(", ").every((name) => names.has(name));
  return summary.split("\n").filter((line) => !isBelow(line)).join("\n");
}

let isWalking = false; // not before the first step: the page begins at its beginning
addEventListener("hashchange", () => (isWalking = true));

/* A heading that takes the focus where what had it is gone, so that the keyboard goes on from here. */
export function Heading({ children, lang }) {
  const heading = useRef();
  useEffect(() => {
    if (isWalking && document.activeElement === document.body) heading.current.focus({ preventScroll: true });
  }, []);
  return html`<h2 lang=${lang} ref=${heading} tabindex="-1">${children}</h2>`;
}

/* A finding with the sentences that it rests on: the first ones at once. */
function Finding({ one, openDocument }) {
  const [all, setAll] = useState(false);
  const more = one.citations.length - FEW;
  const shown = all ? one.citations : one.citations.slice(0, FEW);
  return html`<p lang=${languageOf(one.statement)}>${one.statement}</p>
    ${shown.map((citation) => html`<${Cited} key=${citation.passage} citation=${citation} said=${one.statement} openDocument=${openDocument} />`)}
    ${more > 0 &&
    html`<button class="button quiet small" type="button" aria-expanded=${`${all}`} onClick=${() => setAll(!all)}>
      ${all ? t("less") : t("x_more_places", { n: more })}
    </button>`}`;
}
