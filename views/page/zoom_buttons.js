/* The buttons in the corner of a drawing: nearer, further, all of it. */

import { html } from "./html.js";
import { NEARER } from "./map_moves.js";
import { t } from "./words.js";

/* Three buttons; `zoom(by)` and `all()` are what they do. */
export function ZoomButtons({ zoom, all }) {
  return html`<div class="graph-zoom" role="group" aria-label=${t("g_zoom")}>
    <button class="button icon" type="button" aria-label=${t("g_in")} title=${`${t("g_in")} (+)`} onClick=${() => zoom(NEARER)}>+</button>
    <button class="button icon" type="button" aria-label=${t("g_out")} title=${`${t("g_out")} (-)`} onClick=${() => zoom(1 / NEARER)}>−</button>
    <button class="button icon" type="button" aria-label=${t("g_all")} title=${`${t("g_all")} (0)`} onClick=${all}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path d="M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4" fill="none" stroke="currentColor" stroke-width="1.6" />
      </svg>
    </button>
  </div>`;
}
