/* Moving over a drawing: by dragging, by the wheel, by two fingers and by keys. */

const STILL = { mouse: 4, pen: 6, touch: 10 }; // pixels that a click may move by
const WHEEL = 0.0018;
const STEP = 60; // pixels of an arrow key

/* Times that a key or a button zooms by. */
export const NEARER = 1.4;

const KEYS = {
  ArrowLeft: ({ pan }) => pan(STEP, 0),
  ArrowRight: ({ pan }) => pan(-STEP, 0),
  ArrowUp: ({ pan }) => pan(0, STEP),
  ArrowDown: ({ pan }) => pan(0, -STEP),
  "+": ({ zoom }) => zoom(NEARER),
  "=": ({ zoom }) => zoom(NEARER),
  "-": ({ zoom }) => zoom(1 / NEARER),
  0: ({ all }) => all(),
  Escape: ({ leave }) => leave(),
};

/* Has an element's pointers move what it shows; returns a function that ends this.

   `pan(dx, dy)` and `zoom(by, x, y)` are called as pointers move, `click(x, y)` where one has not. */
export function movedBy(element, { pan, zoom, click }) {
  const stop = new AbortController();
  const on = (name, act, options) => element.addEventListener(name, act, { ...options, signal: stop.signal });
  const down = new Map();
  let far = 0;
  on("pointerdown", (event) => {
    if (event.button) return;
    far = down.size ? Infinity : 0;
    down.set(event.pointerId, placeOf(event));
    element.setPointerCapture(event.pointerId);
  });
  on("pointermove", (event) => {
    const before = down.get(event.pointerId);
    if (!before) return;
    const now = placeOf(event);
    const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
    down.set(event.pointerId, now);
    far += Math.hypot(now.x - before.x, now.y - before.y);
    if (other) pinch(before, now, other);
    else if (far > STILL[event.pointerType]) pan(now.x - before.x, now.y - before.y);
  });
  const pinch = (before, now, other) => {
    pan((now.x - before.x) / 2, (now.y - before.y) / 2);
    const by = apart(now, other) / Math.max(apart(before, other), 1);
    zoom(by, (now.x + other.x) / 2, (now.y + other.y) / 2);
  };
  on("pointerup", (event) => {
    const isClick = down.delete(event.pointerId) && far <= STILL[event.pointerType];
    if (isClick) click(event.offsetX, event.offsetY);
  });
  on("pointercancel", (event) => down.delete(event.pointerId));
  on("wheel", (event) => {
    event.preventDefault();
    const pixels = event.deltaMode ? event.deltaY * 20 : event.deltaY;
    zoom(Math.exp(-pixels * WHEEL), event.offsetX, event.offsetY);
  }, { passive: false });
  return () => stop.abort();
}

/* Calls `tell(x, y)` as a mouse moves over an element, far outside where it leaves; returns a function that ends this. */
export function pointing(element, tell) {
  const stop = new AbortController();
  const on = (name, act) => element.addEventListener(name, act, { signal: stop.signal });
  on("pointermove", (event) => event.pointerType === "mouse" && !event.buttons && tell(event.offsetX, event.offsetY));
  on("pointerleave", () => tell(Infinity, Infinity));
  return () => stop.abort();
}

/* Has keys move what an element shows while it has the focus; returns a function that ends this.

   `pan(dx, dy)` and `zoom(by)` are called, `all()` to show everything, `leave()` to choose nothing. */
export function movedByKeys(element, moves) {
  const pressed = (event) => {
    if (!Object.hasOwn(KEYS, event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    KEYS[event.key](moves);
  };
  element.addEventListener("keydown", pressed);
  return () => element.removeEventListener("keydown", pressed);
}

const placeOf = (event) => ({ x: event.offsetX, y: event.offsetY });

const apart = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
