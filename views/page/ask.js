/* Asking: conversations, and answers that can be followed. */

import { html } from "./html.js";
import { t } from "./words.js";

/* The view of conversations. */
export function AskView() {
  return html`<p class="empty">${t("ask")}</p>`;
}
