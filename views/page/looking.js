/* Looking things up on the server while a person types or walks on. */

import { getJson } from "./api.js";
import { html, useEffect, useRef, useState } from "./html.js";
import { patternOf } from "./patterns.js";
import { languageOf, t } from "./words.js";

const PAUSE = 220; // milliseconds without a key after which is searched

/* The reply of a route for parameters, followed while these change: [reply, problem, again]. */
export function useReply(path, params, wanted = true) {
  const [reply, setReply] = useState(null);
  const [problem, setProblem] = useState("");
  const [turn, setTurn] = useState(0);
  const key = JSON.stringify(params);
  useEffect(() => {
    if (!wanted) return undefined;
    const stop = new AbortController();
    getJson(path, params, stop.signal).then(
      (found) => {
        setReply(found);
        setProblem("");
      },
      (error) => error.name === "AbortError" || setProblem(error.message),
    );
    return () => stop.abort();
  }, [path, key, wanted, turn]);
  return [reply, problem, () => setTurn((n) => n + 1)];
}

/* A text that follows another one when it has stood still for a moment. */
export function useSettled(text) {
  const [settled, settle] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => settle(text), PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/* A field to search in; `told` says to screen readers how much was found. */
export function SearchField({ label, value, onInput, told = "" }) {
  const field = useRef();
  return html`<form class="search" role="search" aria-label=${label} onSubmit=${(event) => event.preventDefault()}>
    <input
      class="field"
      type="search"
      ref=${field}
      aria-label=${label}
      placeholder=${label}
      value=${value}
      autocomplete="off"
      onInput=${(event) => onInput(event.target.value)}
    />
    <span class="sr-only" role="status">${told}</span>
  </form>`;
}

/* A sentence on what went wrong, with a button to try again. */
export function Trouble({ problem, again }) {
  return html`<div class="note problem" role="alert">
    <p>${problem}</p>
    ${again && html`<button class="button" type="button" onClick=${again}>${t("retry")}</button>`}
  </div>`;
}

/* What a view says where its layer is missing; or a sentence of its own. */
export function Missing({ layer, sentence, server }) {
  return html`<div class="empty" role="status">
    <p>${sentence ?? t("x_missing", { layer: t(`layer_${layer}`) })}</p>
    ${server.uploads && html`<a class="button" href="#documents/layers">${t("x_make")}</a>`}
  </div>`;
}

/* A text with words marked where they stand, whatever their case. */
export function Marked({ text, words }) {
  if (!words.trim()) return text;
  const found = [];
  let end = 0;
  for (const match of text.matchAll(patternOf(words))) {
    found.push(text.slice(end, match.index), html`<mark>${match[0]}</mark>`);
    end = match.index + match[0].length;
  }
  return html`${found}${text.slice(end)}`;
}

/* A part of a long text around words, cut between words. */
export function around(text, words, most = 320) {
  if (text.length <= most) return text;
  const part = words.trim().split(/\s+/)[0]?.toLowerCase() ?? "";
  const at = Math.max(0, text.toLowerCase().indexOf(part));
  const from = at < most / 2 ? 0 : text.indexOf(" ", at - most / 3) + 1;
  const to = from + most < text.length ? Math.max(text.lastIndexOf(" ", from + most), at + part.length) : text.length;
  return `${from ? "…" : ""}${text.slice(from, to)}${to < text.length ? "…" : ""}`;
}

/* What stands before the first words of a text: space, and headings with something below them. */
const HEADINGS = /^(?:\s*#{1,6} [^\n]*\n(?=\s*\S))*\s*/u;

/* Where a passage begins, for the reader: its first sentence is marked, not all of it. */
export function openingOf({ document, title, text, start }) {
  const [space] = HEADINGS.exec(text);
  const [first] = /^[^\n.!?。]{0,160}[.!?。]?/u.exec(text.slice(space.length));
  const at = start + space.length;
  return { document, title, at, end: at + first.length, quote: first };
}

/* A button that opens the document at a citation: its quote, or the passage where it has none. */
export function Cited({ citation, openDocument, said = "" }) {
  if (!citation) return null;
  const { document, title, start, end, quote } = citation;
  const open = () => openDocument({ document, title, at: start, end, quote });
  return html`<button class="cited" type="button" data-part="citation" onClick=${open}>
    ${(!quote || quote !== said) && html`<span class="cited-quote" lang=${languageOf(quote)}>${quote || t("x_whole_passage")}</span>`}
    <span class="cited-title" lang=${languageOf(title)}>${title || document}</span>
  </button>`;
}
