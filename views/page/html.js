/* Preact with templates: the one place that names the vendored library. */
export {
  html, render, Component, createContext, useCallback, useContext, useEffect, useErrorBoundary,
  useLayoutEffect, useMemo, useReducer, useRef, useState,
} from "./vendor/htm_preact.js";
import { useEffect, useState } from "./vendor/htm_preact.js";

/* Whether a media query holds, followed while it changes: useMedia("(min-width: 60rem)"). */
export function useMedia(query) {
  const [holds, setHolds] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const told = () => setHolds(media.matches);
    told();
    media.addEventListener("change", told);
    return () => media.removeEventListener("change", told);
  }, [query]);
  return holds;
}

/* Whether there is room for a panel beside the main column. */
export const WIDE = "(min-width: 68rem)";

/* Whether the page is as narrow as a phone. */
export const NARROW = "(max-width: 40rem)";

/* Keeps Tab within an element and gives the focus back when it goes: for sheets and dialogs. */
export function useFocusWithin(ref) {
  useEffect(() => {
    const before = document.activeElement;
    const within = () => [...ref.current.querySelectorAll(FOCUSABLE)].filter((one) => one.offsetParent);
    const kept = (event) => {
      if (event.key !== "Tab") return;
      const all = within();
      const edge = event.shiftKey ? all[0] : all.at(-1);
      if (document.activeElement !== edge && ref.current.contains(document.activeElement)) return;
      event.preventDefault();
      (event.shiftKey ? all.at(-1) : all[0])?.focus();
    };
    (ref.current.querySelector("[data-first]") ?? ref.current).focus();
    document.addEventListener("keydown", kept);
    return () => {
      document.removeEventListener("keydown", kept);
      before?.focus?.();
    };
  }, []);
}

const FOCUSABLE = "a[href], button:not(:disabled), input, select, textarea, [tabindex='0']";

/* Closes a menu by Escape, and by a click or the focus elsewhere. */
export function useClosing(menu) {
  useEffect(() => {
    const { current } = menu;
    const elsewhere = (event) => current.open && !current.contains(event.target) && (current.open = false);
    const escaped = (event) => {
      if (event.key !== "Escape" || !current.open) return;
      event.stopPropagation();
      current.open = false;
      current.querySelector("summary").focus();
    };
    document.addEventListener("pointerdown", elsewhere);
    document.addEventListener("focusin", elsewhere);
    current.addEventListener("keydown", escaped);
    return () => {
      document.removeEventListener("pointerdown", elsewhere);
      document.removeEventListener("focusin", elsewhere);
      current.removeEventListener("keydown", escaped);
    };
  }, []);
}
