/* How each method ended. */

import { html } from "../html.js";
import { t } from "../words.js";

/* How a method ended: it suffices, or why not; that it runs, while it does. */
export function Outcome({ attempt, running }) {
  if (running) return html`<span class="outcome"><span class="turning"></span></span>`;
  const { outcome } = attempt;
  if (!outcome) return null;
  if (outcome.sufficient) return html`<span class="chip good">✓ ${t("sufficient")}</span>`;
  return html`<span class="chip">${t(`ended_${outcome.stop_reason}`)}</span>`;
}
