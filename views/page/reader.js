/* A document at a place, with a quote marked. */

import { getJson } from "./api.js";
import { html, useEffect, useFocusWithin, useLayoutEffect, useRef, useState } from "./html.js";
import { addWords, languageOf, t } from "./words.js";

addWords({
  en: { reading: "The document {title}", before: "Show what stands before", after: "Show what follows" },
  ko: { reading: "문서 {title}", before: "앞부분 보기", after: "뒷부분 보기" },
});

/* A sheet with the document `document` of an index at the character `at`; the characters up to
   `end`, or those of `quote`, are marked. `onClose` is called when a person closes it. */
export function Reader({ document: id, at = 0, end, quote = "", title = "", index, onClose }) {
  const [found, problem, more] = useDocument(index, id, at);
  const sheet = useRef();
  useFocusWithin(sheet);
  useEffect(() => {
    const closed = (event) => event.key === "Escape" && (event.stopPropagation(), onClose());
    window.addEventListener("keydown", closed, true);
    return () => window.removeEventListener("keydown", closed, true);
  }, [onClose]);
  const name = found?.title || title || id;
  return html`<div class="sheet-shade" onClick=${(event) => event.target === event.currentTarget && onClose()}>
    <div class="sheet" role="dialog" aria-modal="true" aria-label=${t("reading", { title: name })} ref=${sheet} tabindex="-1" data-part="reader">
      <div class="sheet-head">
        <div><h2 lang=${languageOf(name)}>${name}</h2><${About} metadata=${found?.metadata} /></div>
        <button class="button quiet icon" type="button" aria-label=${t("close")} data-first onClick=${onClose}>✕</button>
      </div>
      <div class="sheet-text" role="region" tabindex="0" aria-label=${name}>
        ${problem && html`<p class="note problem" role="alert">${problem}</p>`}
        ${!found && !problem && html`<p class="soft">${t("loading")}</p>`}
        ${found && html`<${Text} found=${found} at=${at} end=${end} quote=${quote} more=${more} />`}
      </div>
    </div>
  </div>`;
}

/* What the metadata say of where the document comes from. */
function About({ metadata = {} }) {
  const told = Object.entries(metadata).filter(([, value]) => `${value}` !== "");
  if (!told.length) return null;
  return html`<p class="soft small">
    ${told.map(([key, value]) => html`<span class="about"><b>${key}</b> ${`${value}`}</span>`)}
  </p>`;
}

/* The text around the quote, and the ways on from it. */
function Text({ found, at, end, quote, more }) {
  const place = useRef();
  const box = useRef();
  const text = joined(found.pieces);
  useSteady(box, found.id, text.start);
  const [from, to] = marked(text, at, end, quote);
  useEffect(() => place.current?.scrollIntoView({ block: "center" }), [found.id, at]);
  const cut = (a, b) => text.text.slice(Math.max(0, a), Math.max(0, b));
  return html`
    ${found.before && html`<${Way} word="before" go=${() => more(text.start - 1)} />`}
    <div class="document-text" lang=${languageOf(text.text)} ref=${box}>${cut(0, from)}${
      to > from && html`<mark ref=${place} data-part="quote">${cut(from, to)}</mark>`
    }${cut(to, text.text.length)}</div>
    ${found.after && html`<${Way} word="after" go=${() => more(text.end + 1)} />`}
  `;
}

const Way = ({ word, go }) =>
  html`<button class="button way" type="button" onClick=${go}>${t(word)}</button>`;

/* The text of the pieces, which may overlap or leave characters out; start and end are the document's. */
export function joined(pieces) {
  let text = "";
  const start = pieces[0]?.start ?? 0;
  let end = start;
  for (const piece of [...pieces].sort((a, b) => a.start - b.start)) {
    if (piece.end <= end && text) continue;
    text += " ".repeat(Math.max(0, piece.start - end)) + piece.text.slice(Math.max(0, end - piece.start));
    end = piece.end;
  }
  return { text, start, end };
}

/* Keeps what is read where it is on the screen, when text is added above it. */
function useSteady(box, id, start) {
  const before = useRef({});
  useLayoutEffect(() => {
    const height = box.current.offsetHeight;
    const { current: last } = before;
    if (last.id === id && start < last.start) box.current.parentElement.scrollTop += height - last.height;
    before.current = { id, start, height };
  });
}

/* Where in the joined text the mark begins and ends: at the characters, else where the quote is. */
function marked({ text, start }, at, end, quote) {
  const from = at - start;
  const to = (end ?? at + quote.length) - start;
  const stands = from >= 0 && to <= text.length && to > from;
  if (stands && (!quote || text.slice(from, to) === quote)) return [from, to];
  const found = quote ? text.indexOf(quote) : -1;
  if (found >= 0) return [found, found + quote.length];
  return stands ? [from, to] : [0, 0];
}

/* The part of a document that was read so far, and a function that reads on at a character. */
function useDocument(index, id, at) {
  const [found, setFound] = useState(null);
  const [problem, setProblem] = useState("");
  const read = async (place, before) => {
    try {
      const part = await getJson("page/document", { index, id, at: place });
      setFound(before ? both(before, part) : part);
    } catch (error) {
      setProblem(error.message);
    }
  };
  useEffect(() => {
    setFound(null);
    setProblem("");
    read(at);
  }, [index, id, at]);
  return [found, problem, (place) => read(place, found)];
}

function both(one, other) {
  const pieces = new Map([...one.pieces, ...other.pieces].map((piece) => [piece.passage, piece]));
  const ordered = [...pieces.values()].sort((a, b) => a.start - b.start);
  const [first, last] = one.pieces[0].start <= other.pieces[0].start ? [one, other] : [other, one];
  return { ...one, pieces: ordered, before: first.before, after: last.after };
}
