/* What an answer cost. */

import { html } from "./html.js";
import { methodTitle } from "./methods.js";
import { number, t } from "./words.js";

/* One line: the methods, requests, tokens, dollars where they are known, and seconds. */
export function Cost({ turn }) {
  const { output, trace } = turn;
  const methods = trace.attempts.map((one) => methodTitle(one.method)).join(" → ");
  const { calls, reused, tokens } = used(output.usage);
  const parts = [
    methods || methodTitle(output.method),
    calls > 0 && t("calls", { n: calls }),
    reused > 0 && t("reused", { n: number(reused) }),
    tokens > 0 && t("tokens", { n: tokens }),
    calls > 0 && output.usage.cost > 0 && t("dollars", { cost: dollars(output.usage.cost) }),
    turn.seconds > 0 && t("seconds", { s: number(turn.seconds, { maximumFractionDigits: 1 }) }),
  ];
  return html`<p class="cost soft small" data-part="cost">${parts.filter(Boolean).join(" · ")}</p>`;
}

/* The requests, replies used again and tokens of all models but the one that is none. */
function used(usage) {
  const models = Object.entries(usage.models ?? {}).filter(([name]) => name !== "offline");
  const sum = (key) => models.reduce((total, [, use]) => total + (use[key] ?? 0), 0);
  const embeddings = Object.values(usage.embeddings ?? {}).reduce((total, n) => total + n, 0);
  return { calls: sum("calls"), reused: sum("reused"), tokens: sum("input_tokens") + sum("output_tokens") + embeddings };
}

function dollars(cost) {
  return number(cost, { minimumFractionDigits: 2, maximumSignificantDigits: 2 });
}
