/* A run as it is followed: plain records, from events. Nothing here touches the page or the server.

   A turn is a question with what became of it: {id, question, method, index, status, text, trace,
   output, problem, paused, seconds}. `status` is running, paused, answered, stopped or failed.
   `trace` is {decision, attempts}, and an attempt {method, why, progress, values, outcome}, where
   `values` is what the method's nodes wrote so far. */

/* A turn that begins. */
export function begun(id, question, method, index, now) {
  const trace = { decision: null, attempts: [] };
  return { id, question, method, index, at: now, status: "running", text: "", trace };
}

/* The turn after an event of the run. */
export function after(turn, event, data, now) {
  const took = TAKES[event];
  return took ? took(turn, data, now) : turn;
}

/* The turn when nothing more comes of the run: a person stopped it, or the page was closed. */
export function ended(turn, status, problem = "", now = turn.at) {
  return { ...turn, status, problem, paused: null, seconds: (now - turn.at) / 1000 };
}

/* The conversation before a question, as the server takes it. */
export function history(turns) {
  const told = turns.filter((turn) => turn.status === "answered");
  return told.slice(-12).flatMap((turn) => [
    { role: "user", content: turn.question },
    {
      role: "assistant",
      content: turn.output.answer || `No answer was found (${turn.output.stop_reason}).`,
    },
  ]);
}

/* What a method found: what it wrote while it ran, or at the end its output. */
export function findings(turn, attempt) {
  const { output, trace } = turn;
  const last = trace.attempts.findLast((one) => one.method === output?.method);
  if (!output || attempt !== last) return attempt.values;
  return { ...attempt.values, ...output.details, evidence: output.evidence };
}

/* Whether no language model was asked, so that there are search results and no answer. */
export function isSearch({ usage, stop_reason: reason, answer }) {
  const models = Object.keys(usage.models ?? {});
  if (models.some((name) => name !== "offline")) return false;
  return models.length > 0 || reason === "no_model" || !answer;
}

const TAKES = {
  step: stepped,
  text: (turn, { text, id }) =>
    turn.textId === id ? { ...turn, text: turn.text + text } : { ...turn, text, textId: id },
  update: updated,
  paused: (turn, paused) => ({ ...turn, status: "paused", paused }),
  answer: answered,
  error: (turn, { detail }, now) => ended(turn, "failed", detail, now),
};

function stepped(turn, data) {
  const { step, method, done, total } = data;
  if (step === "decide" && data.decided_by) return traced(turn, { decision: data });
  if (step === "try") {
    const attempt = { method, why: data.why, progress: null, values: {}, outcome: null };
    return traced(turn, { attempts: [...turn.trace.attempts, attempt] });
  }
  if (!method || step === "answer") return turn;
  return changed(turn, method, () => ({ progress: { step, done, total } }));
}

/* Nodes that run side by side write their own part of these lists. */
const ADDED = ["points", "look_ups"];

function updated(turn, { method, node, values }) {
  return changed(turn, method, (attempt) => {
    const whole = { ...attempt.values };
    for (const [key, value] of Object.entries(values)) {
      const adds = ADDED.includes(key) && node !== "begin";
      whole[key] = adds ? [...(whole[key] ?? []), ...value] : value;
    }
    return { values: { ...whole, seen: seen(attempt.values.seen, values) } };
  });
}

/* The places of all passages that were met, by id: those that were not kept can be opened, too. */
function seen(before = {}, { evidence = [], retrieved = [], pages = [] }) {
  const met = [...evidence, ...retrieved, ...pages].filter((one) => !(one.id in before));
  const places = met.map(({ id, title, document, start }) => [id, { id, title, document, start }]);
  return { ...before, ...Object.fromEntries(places) };
}

function answered(turn, output, now) {
  const attempts = turn.trace.attempts.map((attempt, place) => ({
    ...attempt,
    progress: null,
    outcome: output.path[place] ?? null,
  }));
  const trace = { decision: output.decision ?? turn.trace.decision, attempts };
  return { ...ended(turn, "answered", "", now), output, trace, text: output.answer };
}

function changed(turn, method, change) {
  const attempts = [...turn.trace.attempts];
  const place = attempts.findLastIndex((one) => one.method === method);
  if (place < 0) return turn;
  attempts[place] = { ...attempts[place], ...change(attempts[place]) };
  return traced(turn, { attempts });
}

function traced(turn, parts) {
  return { ...turn, trace: { ...turn.trace, ...parts } };
}
