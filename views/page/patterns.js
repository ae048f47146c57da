/* Patterns of words that are looked for. */

/* A pattern for words in a row, whatever their case and the white space between them. */
export function patternOf(words) {
  const parts = words.trim().split(/\s+/);
  return new RegExp(parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+"), "giu");
}
