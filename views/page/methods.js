/* The methods, as the server tells of them: {name, title, description, shown}. */

import { t } from "./words.js";

const METHODS = new Map();

/* Keeps the methods that the server has. */
export function tellMethods(methods) {
  for (const method of methods) METHODS.set(method.name, method);
}

/* A method as its paper writes it. */
export const methodTitle = (name) => METHODS.get(name)?.title ?? name;

/* The keys of what a method writes that a picture of its steps shows. */
export const methodKeys = (name) => METHODS.get(name)?.shown ?? [];

/* One sentence on a method: in the language in use where the page has one, else the server's. */
export function methodDescription(name) {
  const key = `${name}_is`;
  const said = t(key);
  return said === key ? METHODS.get(name)?.description : said;
}
