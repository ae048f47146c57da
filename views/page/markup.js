/* A part of a passage as it is meant: paragraphs, headings, items, tables and code, without their signs. */

import { html } from "./html.js";

const FENCE = /^\s*(?:```|~~~)/;
const DIRECTIVE = /^\s*\.\. ([\w-]+)::\s*(.*)$/;
const NOTE = /^\s*(?:\/{3,}|!{3}|:{3,})\s*([\p{L}-]+)?[\s|"]*([^"]*?)"?\s*$/u;
const HEADING = /^\s*#{1,6}\s+(.*)$/;
const RULE = /^\s*([=\-~^*+#])\1{2,}\s*$/;
const ROW = /^\s*\|(.+)\|\s*$/;
const CELLS = /\S \| \S/;
const FRONT = /^---\s*$/;
const STATED = /^(?:[\w-]+:(?:\s|$)|\s|-\s|$)/; // a line of YAML
const BETWEEN = /^[\s|:+-]+$/;
const PARTED = /^(?=.*-)(?=.*\|)[\s|:-]+$/; // below the header of a table without a frame
const ITEM = /^\s*(?:[-*•]|#\.|(\d+[.)]))\s+/;
const WRAPPED = 50; // the shortest line that is broken because it was full
const NONE = new Set();
const CODE =
  /[;{}]\s*$|^\s*(?:@\w|#include|>>> |\$ |[)}\]]+[;,]?$|(?:from [\w.]+ )?import [\w.*{]|(?:def|class|function|fn|func) \w.*[:({]$)|^\s*(?:(?:const|let|var|return|await) )*[\w.$[\]"']+(?:\([^]*[)\]},:;([{]$| ?[-+*:]?= ?\S)/;

/* The `parts` of a text, {text, marked, best} or {gap}; `before` are the characters of its line before one. Of an excerpt a heading that it begins with is left
   out where it says one of `skip`, and any below which nothing stands; a line alone that says one of `titles` is
   a heading. What begins within a block of code is
   `fenced`. */
export function Markup({ parts, skip, titles }) {
  const [first, last] = [parts.findIndex(isText), parts.findLastIndex(isText)];
  const blocks = blocksOf(withoutFront(linesOf(parts.slice(first, last + 1))), (skip ?? []).filter(Boolean), titles ?? NONE);
  return (skip ? led(blocks) : blocks).map(shownBlock);
}

/* Lines without the front matter that they begin with, but for lines of it that are marked. */
function withoutFront(lines) {
  const end = FRONT.test(textOf(lines[0] ?? [])) ? lines.findIndex((line, at) => at && FRONT.test(textOf(line))) : 0;
  const isFront = end > 0 && lines.slice(1, end).every((line) => STATED.test(textOf(line)));
  if (!isFront) return lines;
  return [...lines.slice(1, end).filter((line) => line.some((part) => part.marked || part.here)), [], ...lines.slice(end + 1)];
}

/* The blocks without headings below which nothing stands before text is left out, if they are not marked. */
function led(blocks) {
  const isBare = (one, below) => one.kind === "heading" && !one.lines[0][0].marked && (below?.kind ?? "gap") === "gap";
  const kept = blocks.reduceRight((below, one) => (isBare(one, below[0]) ? below : [one, ...below]), []);
  return kept.length ? kept : blocks;
}

const isText = (part) => !part.gap;

/* Lines, each a list of the parts in it. */
function linesOf(parts) {
  const lines = [[]];
  for (const part of parts) {
    if (part.gap) {
      lines.push([part], []);
      continue;
    }
    part.text.split("\n").forEach((text, at) => {
      if (at) lines.push([]);
      if (text) lines.at(-1).push({ ...part, text, before: at ? 0 : part.before });
    });
  }
  return lines;
}

const textOf = (line) => line.map((part) => part.text ?? "").join("");

/* The blocks that the lines make: {kind, lines}. */
function blocksOf(lines, skip, titles) {
  const blocks = [];
  let open = ""; // the kind of the block that the next line may go on with
  let isFenced = false;
  const begin = (kind, some) => {
    blocks.push({ kind, lines: some });
    open = kind;
  };
  const below = (at) => textOf(lines[at + 1] ?? []);
  const isTitled = (text, at) => titles.has(text.trim()) && !textOf(lines[at - 1] ?? []).trim() && !below(at).trim();
  lines.forEach((line, at) => {
    const text = textOf(line);
    if (line[0]?.fenced !== undefined) isFenced = line[0].fenced;
    const [directive, note, heading] = [DIRECTIVE.exec(text), NOTE.exec(text), HEADING.exec(text)];
    if (line[0]?.gap) begin("gap", [line]);
    else if (FENCE.test(text)) [isFenced, open] = [!isFenced, ""];
    else if (isFenced || isCode(lines, at, open)) open === "code" ? blocks.at(-1).lines.push(line) : begin("code", [line]);
    else if (!text.trim()) open = open === "code-next" ? open : "";
    else if (directive || note) {
      const [, name = "", rest] = directive ?? note;
      open = "";
      if (/^(?:code|code-block|sourcecode|highlight)$/.test(name)) open = "code-next";
      else if (name) begin("note", [[{ text: [name[0].toUpperCase() + name.slice(1), rest].filter(Boolean).join(": ") }]]);
      if (open === "note") open = "";
    } else if (heading || isTitled(text, at) || (RULE.test(below(at)) && !FENCE.test(below(at)))) {
      const said = heading ? heading[1] : text.trim();
      const mark = line.find((part) => part.marked || part.here);
      if (blocks.length || !skip.some((one) => one === said || one.endsWith(` › ${said}`))) begin("heading", [[{ ...mark, text: said }]]);
      open = "";
    } else if (RULE.test(text)) open = "";
    else if (ROW.test(text) || (text.includes("|") && (open === "table" || PARTED.test(below(at)) || areRows(text, below(at))))) open === "table" ? blocks.at(-1).lines.push(line) : begin("table", [line]);
    else if (ITEM.test(text)) begin("item", [line]);
    else if (open === "text" || open === "item") blocks.at(-1).lines.push(line);
    else begin("text", [line]);
  });
  return blocks;
}

/* Whether two lines are rows of a table without a frame: with as many cells. */
const areRows = (text, next) => CELLS.test(text) && text.split(" | ").length === next.split(" | ").length;

/* Whether a line is code: by its form and that of a neighbour, or as it goes on with a block of code. */
function isCode(lines, at, open) {
  const text = textOf(lines[at]);
  if (open === "code-next") return /^\s{2,}\S/.test(text);
  if (open === "code") return CODE.test(text) || /^(?: {2,}|\t)/.test(text);
  const next = textOf(lines[at + 1] ?? []);
  return CODE.test(text) && !ROW.test(text) && (CODE.test(next) || /^(?: {2,}|\t)\S/.test(next));
}

function shownBlock({ kind, lines }) {
  if (kind === "gap") return html`<span class="gap"> … </span>`;
  if (kind === "code") return html`<pre tabindex="0">${outdented(lines).map((line, at) => [at > 0 && "\n", line.map((part) => shown(part, part.text))])}</pre>`;
  if (kind === "table") return html`<${Table} rows=${lines} />`;
  if (kind === "heading" || kind === "note") return html`<p class=${`markup-${kind}`}>${inline(lines[0])}</p>`;
  if (kind === "text") return html`<p>${together(lines)}</p>`;
  const [, sign] = ITEM.exec(textOf(lines[0]));
  return html`<p class="markup-item"><span aria-hidden="true">${sign ?? "•"}</span> ${together(lines, ITEM)}</p>`;
}

/* Lines of code without the blanks that all of them begin with. */
function outdented(lines) {
  const depths = lines.map(textOf).filter((text) => text.trim()).map((text) => /^[ \t]*/.exec(text)[0].length);
  const depth = Math.min(...depths);
  return lines.map(([first, ...rest]) => (first ? [{ ...first, text: first.text.replace(/^[ \t]*/, (blanks) => blanks.slice(depth)) }, ...rest] : []));
}

/* Lines of a paragraph as one, without the `sign` that the first begins with; short lines and rows stay lines. */
function together(lines, sign = /^\s+/) {
  const [[first, ...rest] = [], ...others] = lines;
  const all = [[{ ...first, text: first.text.replace(sign, "") }, ...rest], ...others];
  const width = (line) => widthOf(textOf(line)) + (line[0]?.before ?? 0);
  const isFurtherIn = (at) => sign === ITEM && /^\s/.test(textOf(all[at]));
  const parts = (at) => (width(all[at - 1]) < WRAPPED && !isFurtherIn(at)) || CELLS.test(textOf(all[at]));
  return all.map((line, at) => [at > 0 && (parts(at) ? html`<br />` : " "), inline(line)]);
}

/* Latin characters that a line has room for; a Korean one takes the room of two. */
const widthOf = (text) => text.length + (text.match(/[\u1100-\uffdc]/g)?.length ?? 0);

function Table({ rows }) {
  const cells = (line) => (ROW.exec(textOf(line))?.[1] ?? textOf(line)).split(/(?<!\\)\|/);
  const isHeaded = rows.length > 1 && BETWEEN.test(textOf(rows[1]));
  const row = (line, Cell) => {
    const mark = line.find((part) => part.marked);
    return html`<tr>${cells(line).map((cell) => html`<${Cell}>${shown(mark ?? {}, inline([{ text: cell.trim() }]))}</${Cell}>`)}</tr>`;
  };
  const body = rows.filter((line) => !BETWEEN.test(textOf(line))).slice(isHeaded ? 1 : 0);
  return html`<div class="markup-table" role="region" tabindex="0"><table>
    ${isHeaded && html`<thead>${row(rows[0], "th")}</thead>`}
    <tbody>${body.map((line) => row(line, "td"))}</tbody>
  </table></div>`;
}

/* The parts of a line without signs within it; what they set in code stays so. */
function inline(line) {
  return unstressed(line).map((part) => shown(part, plain(part.text).split(/(`[^`]+`)/).map((piece) => (/^`.+`$/.test(piece) ? html`<code>${piece.slice(1, -1)}</code>` : piece))));
}

/* The parts of a line without the signs of strong emphasis, which may span parts. */
function unstressed(line) {
  const signs = new Set();
  for (const { index, 0: found } of textOf(line).matchAll(/(\*\*|__)(?=\S)(.+?)\1/g)) {
    for (const at of [index, index + 1, index + found.length - 2, index + found.length - 1]) signs.add(at);
  }
  let end = 0;
  return line.map((part) => {
    const start = end;
    end += part.text.length;
    return { ...part, text: part.text.split("").filter((_, at) => !signs.has(start + at)).join("") };
  });
}

/* A text without tags, roles, links, references and emphasis; code keeps one sign on each side. */
const plain = (text) =>
  text
    .replace(/<\/?[a-z][^<>]*>/gi, "")
    .replace(/^\s*:([\p{L}][\p{L} -]*): (?=\S)/u, "$1: ")
    .replace(/:[\w:+-]+:`~?([^`<]*?)\s*(?:<[^`>]*>)?`/g, "$1")
    .replace(/``([^`]+)``/g, "`$1`")
    .replace(/`([^`<]+?)\s*<[^`>]+>`__?/g, "$1")
    .replace(/(?<=[\p{L})])::\s*$/u, ":")
    .replace(/^(\s*)\*\*(?=\p{L})/u, "$1")
    .replace(/!?\[([^\]]*)\]\([^()\s]*\)/g, "$1")
    .replace(/\s*\{\s*[#.:][^{}]*\}\s*$/, "")
    .replace(/(?<![\w*])\*(?=\S)([^*]+?)\*(?![\w*])/g, "$1");

/* What is cited as a mark; a place to go to can be found. */
const shown = ({ marked, best, here }, content) =>
  marked ? html`<mark class=${best ? "best" : ""}>${content}</mark>` : here ? html`<span class="here">${content}</span>` : content;
