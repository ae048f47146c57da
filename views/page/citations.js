/* Citations: numbers in the text that show their quote, and the list of sources. */

import { html, useEffect, useLayoutEffect, useRef, useState } from "./html.js";
import { languageOf, number, t } from "./words.js";

let last = 0;

/* The number of a citation. Pointing at it or focusing it shows the quote; a click opens the
   document there, a tap the quote with a way to the document. */
export function Cite({ n, citation, openDocument }) {
  const [shown, setShown] = useState("");
  const mark = useRef();
  const [id] = useState(() => `cite-${(last += 1)}`);
  const touched = useRef(false);
  const opens = () => openPlace(citation, openDocument);
  const clicked = () => {
    if (touched.current) setShown("tapped");
    else opens();
  };
  const left = () => setShown((now) => (now === "tapped" ? now : ""));
  return html`<span class="cite-place" onPointerLeave=${left}>\u2060
    <button
      class="cite"
      type="button"
      ref=${mark}
      aria-label=${t("citation", { n, title: citation.title || citation.document })}
      aria-describedby=${shown ? id : null}
      onPointerDown=${(event) => (touched.current = event.pointerType === "touch")}
      onPointerEnter=${(event) => event.pointerType !== "touch" && setShown("pointed")}
      onFocus=${() => setShown((now) => now || "focused")}
      onBlur=${() => setTimeout(() => setShown((now) => (now === "tapped" ? now : "")))}
      onClick=${clicked}
    >${n}</button>
    ${shown && html`<${Quote} id=${id} n=${n} citation=${citation} mark=${mark} tapped=${shown === "tapped"} opens=${opens} close=${() => setShown("")} />`}
  </span>`;
}

/* A quote beside its number, within the page. */
function Quote({ id, n, citation, mark, tapped, opens, close }) {
  const box = useRef();
  useLayoutEffect(() => place(box.current, mark.current), [tapped]);
  useEffect(() => {
    const closed = (event) => {
      if (event.type === "keydown" ? event.key !== "Escape" : box.current.parentElement.contains(event.target)) return;
      event.stopPropagation();
      close();
    };
    window.addEventListener("keydown", closed, true);
    document.addEventListener("pointerdown", closed);
    return () => {
      window.removeEventListener("keydown", closed, true);
      document.removeEventListener("pointerdown", closed);
    };
  }, []);
  return html`<span class="quote-box" id=${id} role="note" ref=${box} data-part="quote-box">
    <span class="quote-text" lang=${languageOf(citation.quote)}>${citation.quote}</span>
    <span class="soft small"><b>${n}</b> <span lang=${languageOf(placeOf(citation))}>${placeOf(citation)}</span></span>
    ${tapped && html`<button class="button" type="button" onClick=${opens}>${t(isWeb(citation) ? "open_page" : "open_at")}</button>`}
  </span>`;
}

/* Puts the box under its number, or above where there is more room, and not over the edges. */
function place(box, mark) {
  const at = mark.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = box;
  const left = Math.max(8, Math.min(at.left - 24, document.documentElement.clientWidth - width - 8));
  const below = at.bottom + height + 12 < innerHeight || at.top < height + 12;
  box.style.left = `${left}px`;
  box.style.top = `${below ? at.bottom + 4 : at.top - height - 4}px`;
}

/* The sources in their order: each quote with its document and place. */
export function Sources({ citations, title, lengths, openDocument }) {
  const opens = (place) => openDocument({ ...place, marks: citations.filter((one) => one.document === place.document) });
  return html`<section class="sources" data-part="sources">
    <h3 class="label">${title}</h3>
    <ol>
      ${citations.map((citation, place) => html`<li>
        <button class="source" type="button" onClick=${() => openPlace(citation, opens)}>
          <span class="source-n" aria-hidden="true">${place + 1}</span>
          <span><q lang=${languageOf(citation.quote)}>${citation.quote}</q><span class="soft small source-place" lang=${languageOf(placeOf(citation))}>${placeOf(citation, lengths)}</span></span>
        </button>
      </li>`)}
    </ol>
  </section>`;
}

/* Where a citation or a passage stands: title, page, section, or the address of a web page. */
export const placeOf = (place, lengths) => [place.title || place.document, whereIn(place, lengths)].filter(Boolean).join(" · ");

/* Where in its document a place is: date, page, section, or how far on, as `lengths` of documents tell. */
export function whereIn({ title, document: id, start, metadata = {} }, lengths = {}) {
  if (isWeb({ document: id })) return new URL(id).hostname;
  const whole = `${metadata.section ?? ""}`.trim();
  const section = whole === title ? "" : whole.startsWith(`${title} › `) ? whole.slice(title.length + 3) : whole;
  const date = `${metadata.date ?? ""}`.slice(0, 10);
  const share = lengths[id] > LONG && start / lengths[id] >= 0.005 && number(Math.min(start / lengths[id], 1), { style: "percent" });
  const parts = [`${title}`.includes(date) ? "" : date, metadata.page && t("page_n", { page: metadata.page }), section];
  return [...parts, share && t("far_on", { share })].filter(Boolean).join(" · ");
}

const LONG = 4000; // characters of a document in which it helps to know how far on a place is

/* Opens the place of a citation or a passage: the document, or the web page in a tab of its own. */
export function openPlace(citation, openDocument) {
  const { document: id, start, end, quote, title } = citation;
  if (isWeb(citation)) window.open(id, "_blank", "noopener,noreferrer");
  else openDocument({ document: id, at: start, end, quote: quote ?? "", title });
}

/* Whether it is of the web; of the addresses there only these two kinds are opened. */
const isWeb = ({ document: id }) => /^https?:\/\/\S+$/i.test(id) && URL.canParse(id);
