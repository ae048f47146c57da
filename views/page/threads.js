/* The conversations of this browser, and the runs that go on in them. */

import { follow } from "./api.js";
import { useEffect, useState } from "./html.js";
import { after, begun, ended, history } from "./runs.js";

const KEPT = "ragraphs.threads";
const running = new Map(); // AbortController by the id of a turn
const heard = new Set();
let threads = stored();
let current = threads[0]?.id ?? fresh();
let full = false;
let drawing = 0;

/* The conversations, the newest first, the one that is open, and whether the browser has no room
   to keep them; followed while they change. */
export function useThreads() {
  const [, show] = useState(0);
  useEffect(() => {
    const tell = () => show((n) => n + 1);
    heard.add(tell);
    return () => heard.delete(tell);
  }, []);
  const thread = threads.find((one) => one.id === current) ?? threads[0];
  return { threads, thread, full };
}

/* Opens a conversation. */
export function open(id) {
  current = id;
  tell();
}

/* Opens a new conversation; one that is empty already serves. */
export function start() {
  current = threads.find((one) => !one.turns.length)?.id ?? fresh();
  tell();
}

/* Names a conversation, which else is called by its first question. */
export function rename(id, title) {
  threads = threads.map((one) => (one.id === id ? { ...one, title: title.trim() } : one));
  keep();
}

/* Deletes a conversation, and stops what runs in it. */
export function remove(id) {
  for (const turn of threads.find((one) => one.id === id)?.turns ?? []) stop(turn.id);
  threads = threads.filter((one) => one.id !== id);
  if (current === id) current = threads[0]?.id ?? fresh();
  keep();
}

/* Asks a question in the open conversation. `asked` is {question, method, index, confirm, tree}. */
export async function ask({ question, method, index, confirm, tree }) {
  const thread = threads.find((one) => one.id === current);
  const before = history(thread.turns);
  const turn = begun(newId(), question, method, index, Date.now());
  threads = [{ ...thread, at: turn.at, turns: [...thread.turns, turn] }, ...threads.filter((one) => one !== thread)];
  keep();
  const body = { question, history: before, index, method, where: null, confirm, tree };
  await run(turn.id, "page/ask", body);
}

/* Goes on with a run that waits for a person: with `items`, or false for a no. */
export async function resume(turn, items) {
  const { paused } = turn;
  change(turn.id, (one) => ({ ...one, status: "running", paused: null, problem: "" }));
  await run(turn.id, "page/resume", { run: paused.run, items }, paused);
}

/* Stops the run of a turn, if there is one. */
export function stop(id) {
  running.get(id)?.abort();
  change(id, (turn) => (turn.status === "paused" ? ended(turn, "stopped", "", Date.now()) : turn));
}

/* Follows a run to its end. A run that was `paused` and refuses the reply still waits. */
async function run(id, path, body, paused = null) {
  const controller = new AbortController();
  running.set(id, controller);
  try {
    for await (const { event, data } of follow(path, body, controller.signal)) {
      change(id, (turn) => after(turn, event, data, Date.now()));
    }
    change(id, (turn) => (turn.status === "running" ? ended(turn, "stopped", "", Date.now()) : turn));
  } catch (error) {
    const waits = paused && error.status === 422;
    const status = error.name === "AbortError" ? "stopped" : "failed";
    const problem = status === "failed" ? error.message : "";
    change(id, (turn) =>
      waits ? { ...turn, status: "paused", paused, problem } : ended(turn, status, problem, Date.now()),
    );
  } finally {
    running.delete(id);
    keep();
  }
}

function change(id, how) {
  threads = threads.map((thread) =>
    thread.turns.some((turn) => turn.id === id)
      ? { ...thread, turns: thread.turns.map((turn) => (turn.id === id ? how(turn) : turn)) }
      : thread,
  );
  tell();
}

/* Draws at most once a frame: the words of an answer come faster than that. */
function tell() {
  if (drawing) return;
  drawing = setTimeout(() => {
    drawing = 0;
    heard.forEach((one) => one());
  }, 16);
}

function fresh() {
  const thread = { id: newId(), title: "", at: Date.now(), turns: [] };
  threads = [thread, ...threads];
  return thread.id;
}

/* Keeps the conversations; where there is no room, without the way to old answers, then not. */
function keep() {
  const told = threads.filter((one) => one.turns.length);
  const bare = told.map((one, place) => (place < 3 ? one : { ...one, turns: one.turns.map(shorter) }));
  full = ![told, bare].some((some) => {
    try {
      localStorage.setItem(KEPT, JSON.stringify(some));
      return true;
    } catch {
      return false;
    }
  });
  tell();
}

function shorter(turn) {
  const trace = { ...turn.trace, attempts: turn.trace.attempts.map((one) => ({ ...one, values: {} })) };
  return { ...turn, trace, output: turn.output && { ...turn.output, details: {} } };
}

function stored() {
  try {
    const found = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    const cut = (turn) => (turn.status === "running" ? ended(turn, "stopped") : turn);
    return found.map((one) => ({ ...one, turns: one.turns.map(cut) }));
  } catch {
    return [];
  }
}

function newId() {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;
}
