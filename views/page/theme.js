/* Light and dark: as the system, or as a person chose. */

const KEPT = "ragraphs.theme";
const heard = new Set();

/* The choices, in the order in which the switch goes through them. */
export const THEMES = ["system", "light", "dark"];

/* The choice: "system", "light" or "dark". */
export const theme = () => localStorage.getItem(KEPT) ?? "system";

/* Takes a choice into use, and keeps it for the next visit. */
export function setTheme(name) {
  localStorage.setItem(KEPT, name);
  show();
}

/* Calls `tell` whenever the colours change; returns a function that ends this. */
export function onTheme(tell) {
  heard.add(tell);
  return () => heard.delete(tell);
}

/* The value of a colour of tokens.css as it is now, for canvases: colour("--accent"). */
export function colour(token) {
  const probe = document.createElement("span");
  probe.style.color = `var(${token})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

function show() {
  document.documentElement.style.colorScheme = theme() === "system" ? "light dark" : theme();
  heard.forEach((tell) => tell());
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
show();
