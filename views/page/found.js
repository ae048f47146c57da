/* How an answer was found: the route, and under each method its picture. */

import { html } from "./html.js";
import { methodTitle } from "./methods.js";
import { Agent } from "./pictures/agent.js";
import { Basic } from "./pictures/basic.js";
import { Crag } from "./pictures/crag.js";
import { Deeprag } from "./pictures/deeprag.js";
import { Graphrag } from "./pictures/graphrag.js";
import { Hoprag } from "./pictures/hoprag.js";
import { Outcome } from "./pictures/route.js";
import { Steps } from "./pictures/steps.js";
import { Tog2 } from "./pictures/tog2.js";
import { findings } from "./runs.js";
import { t } from "./words.js";
import { whyIn } from "./words_found.js";

const PICTURES = { basic: Basic, crag: Crag, deeprag: Deeprag, hoprag: Hoprag, tog2: Tog2, graphrag: Graphrag, agent: Agent };

/* The way to an answer: why a method was chosen, and each that was tried with what it found. */
export function Found({ turn, openDocument }) {
  const { decision, attempts } = turn.trace;
  return html`<div class="found" data-part="found">
    ${!decision && !attempts.length && html`<p class="soft">${t("how_empty")}</p>`}
    ${decision?.decided_by === "user" && html`<p class="small soft">${t("you_chose")}</p>`}
    <ol class="attempts">
      ${attempts.map((attempt, place) => html`<${Attempt} key=${place} turn=${turn} attempt=${attempt} last=${place === attempts.length - 1} openDocument=${openDocument} />`)}
    </ol>
  </div>`;
}

function Attempt({ turn, attempt, last, openDocument }) {
  const picture = PICTURES[attempt.method] ?? Steps;
  const values = findings(turn, attempt);
  const running = turn.status === "running" && last;
  const given = { method: attempt.method, values, running, output: turn.output, question: turn.output?.asked ?? turn.question, openDocument };
  const first = turn.trace.attempts[0] === attempt;
  return html`<li class="attempt" data-method=${attempt.method}>
    <details open=${last}>
      <summary>
        <span class="attempt-name">${methodTitle(attempt.method)}</span>
        <${Outcome} attempt=${attempt} running=${running} />
      </summary>
      ${!first && html`<p class="soft small why">${whyIn(attempt.why)}</p>`}
      <${picture} ...${given} />
    </details>
    ${running && attempt.progress && html`<${Progress} ...${attempt.progress} />`}
  </li>`;
}

function Progress({ step, done, total }) {
  const word = t(`step_${step}`);
  return html`<p class="progress small soft">
    <span>${word.startsWith("step_") ? step : word}</span>
    ${total > 1 && html`<progress value=${done} max=${total}></progress><span>${done}/${total}</span>`}
  </p>`;
}
