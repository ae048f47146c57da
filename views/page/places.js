/* The places of the page: what the address names, and how it is written. */

import { useEffect, useState } from "./html.js";

/* The address of a view of Explore, and of what it shows: placeOf("entities", id). */
export const placeOf = (...parts) => `#explore/${parts.map(encodeURIComponent).join("/")}`;

/* The tab of the address, and what follows it, followed while it changes: at
   #explore/communities/7 it is ["explore", ["communities", "7"]]. */
export function usePlace() {
  const [place, setPlace] = useState(location.hash);
  useEffect(() => {
    const moved = () => setPlace(location.hash);
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  const [tab, ...path] = place.replace(/^#\/?/, "").split("/").map(decoded);
  return [tab, path];
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
