/* The text of an answer: paragraphs, lists and emphasis as elements, citations as numbers. */

import { sentences } from "./excerpts.js";
import { html } from "./html.js";
import { languageOf } from "./words.js";

/* The text, with `cite(n)` where citation n belongs: at its marker [n], or, in a text without
   markers, after the sentence that shares most words with the quote. */
export function Prose({ text, citations = [], cite = null }) {
  const marked = cite ? withMarkers(text, citations) : text;
  return html`<div class="prose" lang=${languageOf(text)}>${blocks(marked).map((block) => shownBlock(block, cite, citations.length))}</div>`;
}

/* The text with a marker for each citation that has none. */
function withMarkers(text, citations) {
  const has = (n) => text.includes(`[${n}]`);
  if (citations.some((_, place) => has(place + 1))) return text;
  const pieces = sentences(text);
  const marks = pieces.map(() => "");
  citations.forEach((citation, place) => {
    marks[nearest(citation.quote, pieces.map((one) => text.slice(one.start, one.end)))] += `[${place + 1}]`;
  });
  return pieces
    .map((piece, place) => {
      const whole = text.slice(piece.start, piece.end);
      const said = whole.trimEnd();
      return said + marks[place] + whole.slice(said.length);
    })
    .join("");
}

/* The place of the sentence that is most like the quote: whose words it shares, of all words of
   both. The last where none shares any. */
function nearest(quote, said) {
  const words = new Set(roots(quote));
  const alike = said.map((one) => {
    const other = new Set(roots(one));
    const both = [...other].filter((word) => words.has(word)).length;
    return both / (words.size + other.size - both || 1);
  });
  const most = Math.max(...alike);
  return most > 0 ? alike.indexOf(most) : said.length - 1;
}

/* Beginnings of words: what stands before endings and Korean particles. */
function roots(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words
    .filter((word) => word.length > 3 || /\p{N}|[가-힣]{2}/u.test(word))
    .map((word) => (/[가-힣]/.test(word) ? word.slice(0, 2) : word.slice(0, 6)));
}

/* Paragraphs, headings and lists: {kind, lines}. */
function blocks(text) {
  const found = [];
  for (const line of text.split("\n")) {
    const last = found.at(-1);
    const [, sign, words] = /^\s*([-*•]|\d+[.)]|#{1,4})\s+(.*)$/.exec(line) ?? [null, "", line];
    const kind = !sign ? "p" : sign.startsWith("#") ? "h3" : /\d/.test(sign) ? "ol" : "ul";
    if (!line.trim()) found.push({ kind: "gap", lines: [] });
    else if (kind === "h3" || last?.kind !== kind) found.push({ kind, lines: [words], from: parseInt(sign, 10) });
    else last.lines.push(words);
  }
  return found.filter((block) => block.kind !== "gap");
}

function shownBlock({ kind, lines, from }, cite, most) {
  const shown = (line) => inline(line, cite, most);
  if (kind === "h3") return html`<h3>${shown(lines[0])}</h3>`;
  if (kind === "ul") return html`<ul>${lines.map((line) => html`<li>${shown(line)}</li>`)}</ul>`;
  if (kind === "ol") return html`<ol start=${from}>${lines.map((line) => html`<li>${shown(line)}</li>`)}</ol>`;
  return html`<p>${lines.map((line, place) => [place > 0 && html`<br />`, shown(line)])}</p>`;
}

/* A line with bold words, code and citations. */
function inline(line, cite, most) {
  return line.split(/(\*\*[^*]+\*\*|`[^`]+`|\[\d+(?:, ?\d+)*\])/).map((part) => {
    if (part.startsWith("**") && part.length > 4) return html`<strong>${part.slice(2, -2)}</strong>`;
    if (part.startsWith("`") && part.length > 2) return html`<code>${part.slice(1, -1)}</code>`;
    const numbers = /^\[[\d, ]+\]$/.test(part) && cite ? part.match(/\d+/g).map(Number) : [];
    if (!numbers.length || numbers.some((n) => n < 1 || n > most)) return part;
    return numbers.map((n) => cite(n));
  });
}
