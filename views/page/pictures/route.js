/* The route: what kind of question it is, and how each method ended. */

import { html } from "../html.js";
import { number, t } from "../words.js";

const KINDS = ["fact", "whole", "about", "fresh"];

/* Why the first method was chosen: by the person, or by what the question seems to ask for. */
export function Decision({ decision }) {
  if (decision.decided_by === "user") return html`<p class="small soft">${t("you_chose")}</p>`;
  const share = (kind) => decision.kinds[kind] ?? 0;
  const said = t("asks_for", { kind: t(`kind_${decision.kind}`), share: percent(share(decision.kind)) });
  return html`<figure class="decision">
    <figcaption class="small">${said}</figcaption>
    <div class="kinds" role="img" aria-label=${KINDS.map((kind) => `${t(`kind_${kind}`)} ${percent(share(kind))}`).join(", ")}>
      ${KINDS.map((kind) => share(kind) >= 0.02 && html`<span class=${`kind ${kind}`} style=${{ flexGrow: share(kind) }} title=${`${t(`kind_${kind}`)} ${percent(share(kind))}`}></span>`)}
    </div>
    <p class="kind-names tiny soft" aria-hidden="true">
      ${KINDS.filter((kind) => share(kind) >= 0.05).map((kind) => html`<span><i class=${`dot ${kind}`}></i>${t(`kind_${kind}`)} ${percent(share(kind))}</span>`)}
    </p>
  </figure>`;
}

/* How a method ended: it suffices, or why not; that it runs, while it does. */
export function Outcome({ attempt, running }) {
  if (running) return html`<span class="outcome"><span class="turning"></span></span>`;
  const { outcome } = attempt;
  if (!outcome) return null;
  if (outcome.sufficient) return html`<span class="chip good">✓ ${t("sufficient")}</span>`;
  return html`<span class="chip">${t(`ended_${outcome.stop_reason}`)}</span>`;
}

const percent = (share) => number(share, { style: "percent" });
