/* The steps of a method that has no picture of its own: what it wrote, and the ranked passages. */

import { html } from "../html.js";
import { methodKeys } from "../methods.js";
import { number } from "../words.js";
import { Basic } from "./basic.js";
import { Part, Shortened } from "./parts.js";

/* A heading and a list for each key that the method shows. */
export function Steps({ method, values, ...given }) {
  const written = methodKeys(method).filter((key) => lines(values[key]).length);
  return html`${written.map(
      (key) => html`<div data-part="step" key=${key}>
        <${Part}>${key.replaceAll("_", " ")}</${Part}>
        <${Shortened} items=${lines(values[key])} show=${(line) => line} label=${key} />
      </div>`,
    )}<${Basic} values=${values} ...${given} />`;
}

/* A value as lines: one for each entry of a list, in which an object tells its texts and numbers. */
function lines(value) {
  const entries = Array.isArray(value) ? value : [value ?? ""];
  return entries.map(line).filter(Boolean);
}

const IDS = ["id", "passage", "document"];

function line(entry) {
  const parts = typeof entry === "object" && entry ? Object.entries(entry) : [["", entry]];
  return parts.flatMap(([key, part]) => (IDS.includes(key) ? [] : word(part))).join(" · ");
}

function word(part) {
  if (typeof part === "number") return [number(part, { maximumFractionDigits: 2 })];
  return typeof part === "string" && part ? [part] : [];
}
