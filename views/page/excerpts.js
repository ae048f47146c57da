/* What of a passage is shown: the sentences with its highlights, and their neighbours. */

const ROOM = 420; // Latin characters; a Korean one takes the room of two
const WIDE = /[\u1100-\uffdc]/g;
let splitter;

/* The parts of a passage's text around its citations, in order: {text, marked, best}, the first of
   each run with whether it is `fenced` in code, and the characters of its line `before` it; {gap: true} where text is left out. Without a citation the passage is shown from its start. */
export function excerpt(passage, citations, room = ROOM) {
  const marks = citations
    .map((one) => ({ start: one.start - passage.start, end: one.end - passage.start }))
    .filter((one) => one.start >= 0 && one.end <= passage.text.length && one.end > one.start);
  const pieces = whole(sentences(passage.text), marks);
  const width = ({ start, end }) => end - start + (passage.text.slice(start, end).match(WIDE)?.length ?? 0);
  const chosen = near(pieces, marks, room, (place) => width(pieces[place]));
  const parts = [];
  let last = -1;
  for (const place of chosen) {
    if (place > last + 1) parts.push({ gap: true });
    const some = cut(passage.text, pieces[place], marks);
    if (place > last + 1 || !place) {
      const before = passage.text.slice(0, pieces[place].start);
      some[0] = { ...some[0], fenced: isFenced(before), before: before.length - before.lastIndexOf("\n") - 1 };
    }
    parts.push(...some);
    last = place;
  }
  if (last + 1 < pieces.length) parts.push({ gap: true });
  return parts;
}

const isFenced = (before) => (before.match(/^\s*(?:```|~~~)/gm) ?? []).length % 2 === 1;

/* The evidence with the pieces of one passage put together; "…" stands where text between them is
   left out, so that all characters keep their places. */
function wholePassages(evidence) {
  const passages = new Map();
  for (const one of evidence) {
    const before = passages.get(one.id);
    passages.set(one.id, before ? together(before, one) : one);
  }
  return [...passages.values()];
}

function together(one, other) {
  const [first, last] = one.start <= other.start ? [one, other] : [other, one];
  const gap = last.start - first.end;
  const between = gap > 2 ? "…".padStart(gap - 1).padEnd(gap) : " ".repeat(Math.max(0, gap));
  const text = first.text + between + last.text.slice(Math.max(0, -gap));
  return { ...one, start: first.start, end: Math.max(first.end, last.end), text };
}

/* The passages with their citations, best first: those that say `answer`, then the cited ones;
   where nothing is answered, as they were found. */
export function bestPassages(evidence, citations, answer = "") {
  const said = citations.filter((one) => includes(one.quote, answer));
  const support = new Set(said.slice(0, 1).map((one) => one.passage));
  const found = wholePassages(evidence).map((passage) => ({
    passage,
    citations: citations.filter((one) => one.passage === passage.id && within(one, passage)),
  }));
  if (!answer) return found;
  const weight = (one) => (support.has(one.passage.id) ? 0 : one.citations.length ? 1 : 2);
  return found
    .map((one, place) => ({ one, place }))
    .sort((a, b) => weight(a.one) - weight(b.one) || a.place - b.place)
    .map(({ one }) => one);
}

/* The first words of a text below its headings, for a line. */
export function firstWords(text, most = 90) {
  const prose = text.replace(/^#{1,6}\s.*$/gm, "");
  const line = (prose.trim() ? prose : text).replace(/\s+/g, " ").trim();
  if (line.length <= most) return line;
  const short = line.slice(0, most);
  return `${short.slice(0, Math.max(short.lastIndexOf(" "), most * 0.6))}…`;
}

/* The sentences of a text as {start, end}, which together are all of it. */
export function sentences(text) {
  splitter ??= new Intl.Segmenter(undefined, { granularity: "sentence" });
  const found = [];
  for (const { segment, index } of splitter.segment(text)) {
    const before = found.at(-1);
    if (before && goesOn(text.slice(before.start, before.end), segment)) before.end += segment.length;
    else found.push({ start: index, end: index + segment.length });
  }
  return found;
}

/* Whether what follows belongs to the piece before it: blanks do, and what a sign or number
   begins; an initial ("John A.") ends no
   sentence; nor does the end of a line without a stop, unless an item or a heading stands there. */
function goesOn(piece, following) {
  if (!following.trim() || SIGN.test(piece) || IN_ROW.test(piece)) return true;
  if (/\n\s*\n\s*$/.test(piece)) return false;
  if (/(^|\s)\p{Lu}\.\s*$/u.test(piece)) return true;
  if (!piece.endsWith("\n") || BLOCK.test(piece) || BLOCK.test(following)) return false;
  return !/[.!?。！？…:]["'”’)\]]*\s*$/.test(piece);
}

const IN_ROW = /(?:^|\n)\s*\|[^\n]*$/; // of a table, of which a sentence may end within a cell
const SIGN = /^\s*(#{1,6}\s+)?(\d+[.)]|#\.|[-*•])?[^\S\n]*$/;
const BLOCK = /^\s*(#{1,6}|#\.|[-*•]|\d+[.)])\s/;

function within(citation, passage) {
  return citation.start >= passage.start && citation.end <= passage.end;
}

function includes(text, words) {
  return text.toLowerCase().includes(words.toLowerCase());
}

/* The pieces, those that a mark spans as one. */
function whole(pieces, marks) {
  const joined = [];
  for (const piece of pieces) {
    const before = joined.at(-1);
    const spans = before && marks.some((mark) => mark.start < before.end && mark.end > piece.start);
    if (spans) before.end = piece.end;
    else joined.push({ ...piece });
  }
  return joined;
}

/* Places of the pieces with marks, and of their neighbours as far as there is room. */
function near(pieces, marks, room, size) {
  const chosen = new Set();
  pieces.forEach((piece, place) => marks.some((mark) => meets(piece, mark)) && chosen.add(place));
  if (!chosen.size && pieces.length) chosen.add(0);
  let left = room - [...chosen].reduce((sum, place) => sum + size(place), 0);
  const seeds = [...chosen];
  for (let reach = 1; reach < pieces.length && left > 0; reach += 1) {
    for (const seed of seeds) {
      for (const place of [seed + reach, seed - reach]) {
        if (place < 0 || place >= pieces.length || chosen.has(place) || size(place) > left) continue;
        if (!chosen.has(place - 1) && !chosen.has(place + 1)) continue;
        chosen.add(place);
        left -= size(place);
      }
    }
  }
  return [...chosen].sort((a, b) => a - b);
}

function meets(piece, mark) {
  return piece.start < mark.end && mark.start < piece.end;
}

/* A piece of the text in parts, marked and not. The first mark is the best. */
function cut(text, piece, marks) {
  const parts = [];
  let at = piece.start;
  for (const mark of marks.filter((one) => meets(piece, one)).sort((a, b) => a.start - b.start)) {
    const from = Math.max(at, mark.start);
    const to = Math.min(piece.end, mark.end);
    if (from >= to) continue;
    parts.push({ text: text.slice(at, from) }, { text: text.slice(from, to), marked: true, best: mark === marks[0] });
    at = to;
  }
  parts.push({ text: text.slice(at, piece.end) });
  return parts.filter((part) => part.text);
}
