/* What an exported page shows in the place of asking: the answer that it was made for, if any. */

import { Turn } from "./answer.js";
import { Found } from "./found.js";
import { WIDE, html, useEffect, useMedia, useState } from "./html.js";
import { dataOfPage } from "./inlined.js";
import { useReply } from "./looking.js";
import { after, begun } from "./runs.js";
import { Overview } from "./welcome.js";
import { t } from "./words.js";
import "./words_ask.js";
import "./words_exported.js";

/* The answer with its evidence and how it was found, else the overview; and how a person can ask. */
export function ExportedAnswer({ server, index, openDocument }) {
  const turn = useTurn(index);
  const wide = useMedia(WIDE);
  const [looked, look] = useState("exported");
  const [overview] = useReply("page/overview", {});
  const given = { server, openDocument, wide, looked, look, put: () => {}, resume: () => {} };
  const isSided = wide && turn && looked;
  return html`<div class=${`ask exported${isSided ? " sided" : ""}`} data-part="exported">
    <div class="talk"><div class="talk-scroll" tabindex="-1">
      ${turn && html`<h1 class="sr-only">${turn.question}</h1>
        <ol class="turns"><${Turn} turn=${turn} newest=${true} ...${given} /></ol>`}
      <div class="welcome">
        ${!turn && html`<h1>${server.title}</h1>`}
        <p class="soft small">${t("exported")}</p>
        ${overview && html`<${Overview} ...${overview} openDocument=${openDocument} />`}
      </div>
    </div></div>
    ${isSided && html`<aside class="side" aria-label=${t("how")} data-part="how">
      <h2 class="side-title">${t("how")}</h2><${Found} turn=${turn} openDocument=${openDocument} />
    </aside>`}
  </div>`;
}

/* The answer as a turn that is over; passages that its method met are known by those of the page. */
function useTurn(index) {
  const [turn, setTurn] = useState(null);
  useEffect(() => {
    dataOfPage().then(({ answer, passage }) => {
      if (!answer) return;
      const { asked, path } = answer;
      const asking = begun("exported", asked, answer.method, index, 0);
      const attempts = path.map(({ method, why = "" }) => ({ method, why, progress: null, values: { seen: Object.fromEntries(passage) }, outcome: null }));
      setTurn(after({ ...asking, trace: { decision: null, attempts } }, "answer", answer, 0));
    });
  }, []);
  return turn;
}
