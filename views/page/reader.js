/* A document at a place: with its marks, the places in it, and words that are looked for. */

import { getJson } from "./api.js";
import { html, useEffect, useFocusWithin, useLayoutEffect, useRef, useState } from "./html.js";
import { SearchField, useReply, useSettled } from "./looking.js";
import { Markup } from "./markup.js";
import { addWords, languageOf, number, t } from "./words.js";

const MOMENT = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d.*$/; // of which the day says enough

addWords({
  en: {
    r_reading: "The document {title}",
    before: "Show what stands before",
    after: "Show what follows",
    r_places: "Places in the document",
    r_page: "page {page}",
    r_search: "Search in this document",
    r_marks: ({ n, at }) => (n ? `${number(at)} of ${number(n)}` : "none"),
    r_before: "The mark before",
    r_next: "The next mark",
  },
  ko: {
    r_reading: "문서 {title}",
    before: "앞부분 보기",
    after: "뒷부분 보기",
    r_places: "문서 안의 위치",
    r_page: "{page}쪽",
    r_search: "이 문서에서 찾기",
    r_marks: ({ n, at }) => (n ? `${number(n)}개 중 ${number(at)}` : "없음"),
    r_before: "앞 표시",
    r_next: "다음 표시",
  },
});

/* A sheet with the document `document` of an index at the character `at`; the characters up to
   `end`, or those of `quote`, are marked, and `marks` {start, end} are other places to go on to.
   `onClose` is called when a person closes it. */
export function Reader({ document: id, at = 0, end, quote = "", title = "", marks = [], index, onClose }) {
  const [place, go] = useState({ at, end, quote });
  const [words, setWords] = useState("");
  useEffect(() => go({ at, end, quote }), [id, at, end, quote]);
  const [found, problem, more] = useDocument(index, id, place.at);
  const hits = useHits(index, id, words, go);
  const sheet = useRef();
  useFocusWithin(sheet);
  useEffect(() => {
    const closed = (event) => event.key === "Escape" && (event.stopPropagation(), onClose());
    window.addEventListener("keydown", closed, true);
    return () => window.removeEventListener("keydown", closed, true);
  }, [onClose]);
  const name = found?.title || title || id;
  const all = words.trim() ? hits ?? [] : marks.length ? [...marks].sort((a, b) => a.start - b.start) : [];
  return html`<div class="sheet-shade" onClick=${(event) => event.target === event.currentTarget && onClose()}>
    <div class="sheet" role="dialog" aria-modal="true" aria-label=${t("r_reading", { title: name })} ref=${sheet} tabindex="-1" data-part="reader">
      <div class="sheet-head">
        <div><h2 lang=${languageOf(name)}>${name}</h2><${About} metadata=${found?.metadata} /></div>
        <button class="button quiet icon" type="button" aria-label=${t("close")} data-first onClick=${onClose}>✕</button>
      </div>
      <div class="sheet-tools">
        ${found?.places.length > 0 && html`<${Places} found=${found} at=${place.at} go=${go} />`}
        <${SearchField} label=${t("r_search")} value=${words} onInput=${setWords} told=${hits ? t("r_marks", { n: hits.length, at: 1 }) : ""} />
        ${(all.length > 1 || words.trim()) && html`<${Marks} all=${all} at=${place.at} go=${go} />`}
      </div>
      <div class="sheet-text" role="region" tabindex="0" aria-label=${name}>
        ${problem && html`<p class="note problem" role="alert">${problem}</p>`}
        ${!found && !problem && html`<p class="soft">${t("loading")}</p>`}
        ${found && html`<${Text} found=${found} place=${place} all=${all} more=${more} />`}
      </div>
    </div>
  </div>`;
}

/* Where words stand in the document, null before they were looked for; the first is gone to. */
function useHits(index, id, words, go) {
  const settled = useSettled(words.trim());
  const [reply] = useReply("page/words", { index, id, containing: settled }, Boolean(settled));
  const hits = settled && words.trim() ? reply?.found ?? null : null;
  useEffect(() => void (hits?.[0] && go(placeAt(hits[0]))), [hits]);
  return hits;
}

const placeAt = ({ start, end }) => ({ at: start, end, quote: "" });

/* The sections and pages, to go to one. */
function Places({ found, at, go }) {
  const { places, title, characters } = found;
  const now = Math.max(0, places.findLastIndex((one) => one.at <= at));
  const said = ({ section, page, at: start }) => {
    const own = section?.startsWith(`${title} › `) ? section.slice(title.length + 3) : section;
    const share = number(start / characters, { style: "percent" });
    return [page && t("r_page", { page }), own, share].filter(Boolean).join(" · ");
  };
  return html`<select aria-label=${t("r_places")} value=${now} onChange=${(event) => go({ at: places[event.target.value].at, end: undefined, quote: "" })}>
    ${places.map((one, number) => html`<option value=${number}>${said(one)}</option>`)}
  </select>`;
}

/* The marks, one after the other. */
function Marks({ all, at, go }) {
  const now = all.findIndex((one) => one.start >= at);
  const to = (by) => () => go(placeAt(all[(Math.max(now, 0) + by + all.length) % all.length]));
  const way = (by, sign, word) =>
    html`<button class="button quiet icon" type="button" disabled=${all.length < 2} aria-label=${t(word)} title=${t(word)} onClick=${to(by)}>${sign}</button>`;
  return html`<span class="marks small soft" role="group">${way(-1, "↑", "r_before")}<span>${t("r_marks", { n: all.length, at: Math.max(now, 0) + 1 })}</span>${way(1, "↓", "r_next")}</span>`;
}

/* What the metadata say of where the document comes from. */
function About({ metadata = {} }) {
  const told = Object.entries(metadata).filter(([key, value]) => key !== "path" && `${value}` !== "");
  if (!told.length) return null;
  return html`<p class="soft small">
    ${told.map(([key, value]) => html`<span class="about"><b>${key}</b> ${`${value}`.replace(MOMENT, "$1")}</span>`)}
  </p>`;
}

/* The text around the place, and the ways on from it. */
function Text({ found, place, all, more }) {
  const box = useRef();
  const text = joined(found.pieces);
  useSteady(box, found.id, text.start);
  const [from, to] = marked(text, place.at, place.end, place.quote);
  useEffect(() => box.current.querySelector("mark.best, .here")?.scrollIntoView({ block: "center" }), [found.id, place]);
  const titles = new Set(found.places.map(({ section }) => section?.split(" › ").at(-1)));
  const others = all.map(({ start, end }) => [start - text.start, end - text.start]);
  return html`
    ${found.before && html`<${Way} word="before" go=${() => more(text.start - 1)} />`}
    <div class="document-text" lang=${languageOf(text.text)} ref=${box} data-part="quote"><${Markup} parts=${partsOf(text.text, [from, to], others, place.at - text.start)} titles=${titles} /></div>
    ${found.after && html`<${Way} word="after" go=${() => more(text.end + 1)} />`}
  `;
}

/* The text in parts: the chosen characters as the best mark, others as marks; the place itself where none is chosen. */
function partsOf(text, [from, to], others, here) {
  const spans = others.filter(([a, b]) => b > a && a >= 0 && b <= text.length && (b <= from || a >= to));
  if (to > from) spans.push([from, to]);
  spans.sort((a, b) => a[0] - b[0]);
  const parts = [];
  let at = 0;
  const plain = (end) => {
    const isHere = to <= from && at <= here && here < end;
    if (isHere && here > at) parts.push({ text: text.slice(at, here) });
    if (end > at) parts.push({ text: text.slice(isHere ? here : at, end), here: isHere && here > 0 });
  };
  for (const [a, b] of spans) {
    if (a < at) continue;
    plain(a);
    parts.push({ text: text.slice(a, b), marked: true, best: a === from && b === to });
    at = b;
  }
  plain(text.length);
  return parts;
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
    const gap = piece.start - end; // white space: of two characters and more, that between paragraphs
    text += (gap > 1 ? "\n\n".padStart(gap) : " ".repeat(Math.max(0, gap))) + piece.text.slice(Math.max(0, end - piece.start));
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
export function marked({ text, start }, at, end, quote) {
  const characters = Array.from(text); // places count these, and a string of JavaScript halves of some
  const before = (place) => characters.slice(0, Math.max(0, place - start)).join("").length;
  const from = at < start ? -1 : before(at);
  const to = end === undefined ? from + quote.length : before(end);
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
      setProblem("");
    } catch (error) {
      setProblem(error.message);
    }
  };
  const isThere = found?.id === id && found.pieces.some((one) => one.start <= at && at < one.end);
  useEffect(() => {
    if (isThere) return;
    setFound(null);
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
