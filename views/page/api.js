/* The server's routes: JSON in and out, and streams of events. */

import { inlined, isExport } from "./inlined.js";
import { t } from "./words.js";
import "./words_exported.js";

/* An error that is one sentence for a person; `status` is that of the reply, 0 where none came. */
class Problem extends Error {
  constructor(sentence, status = 0) {
    super(sentence);
    this.status = status;
  }
}

/* The JSON that a route gives for the parameters that have a value: getJson("page/state", {index}). */
export async function getJson(path, params = {}, signal) {
  if (isExport) return known(await inlined(path, params));
  const url = address(path);
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== null && value !== "") url.searchParams.set(name, value);
  }
  const reply = await reached(url, { signal });
  return reply.json();
}

/* The JSON that a route gives for a body. */
export async function postJson(path, body, signal) {
  const reply = await reached(address(path), sent(body, signal));
  return reply.json();
}

/* The events of a stream as {event, data}: for await (const {event, data} of follow(path, body)). */
export async function* follow(path, body, signal) {
  const reply = await reached(address(path), sent(body, signal));
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let whole = false;
  try {
    while (!whole) {
      const { done, value } = await reader.read();
      whole = done;
      const parts = (rest + (value ?? "")).replaceAll("\r\n", "\n").split("\n\n");
      rest = done ? "" : parts.pop();
      yield* parts.map(parsed).filter(Boolean);
    }
  } finally {
    if (!whole) reader.cancel().catch(() => {});
  }
}

/* Sends files as a form; `told` gets the share that was sent, from 0 to 1. */
export function upload(path, files, told = () => {}) {
  const form = new FormData();
  for (const file of files) form.append("files", file, file.webkitRelativePath || file.name);
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("POST", address(path));
    request.responseType = "json";
    request.upload.onprogress = (event) => event.lengthComputable && told(event.loaded / event.total);
    request.onerror = () => failed(new Problem(unreachable()));
    request.onload = () => {
      const said = request.response;
      if (request.status < 300) done(said);
      else failed(new Problem(said?.detail ?? refused(request.status), request.status));
    };
    request.send(form);
  });
}

function known(found) {
  if (!found) throw new Problem(t("exported_missing"), 404);
  return found;
}

/* The page may be served below a path, so that addresses are relative to it. */
function address(path) {
  return new URL(path.replace(/^\//, ""), document.baseURI);
}

function sent(body, signal) {
  const headers = { "Content-Type": "application/json" };
  return { method: "POST", headers, body: JSON.stringify(body), signal };
}

async function reached(url, init) {
  let reply;
  try {
    reply = await fetch(url, init);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(unreachable());
  }
  if (reply.ok) return reply;
  const said = await reply.json().catch(() => ({}));
  const detail = typeof said.detail === "string" ? said.detail : refused(reply.status);
  throw new Problem(detail, reply.status);
}

function parsed(block) {
  const lines = block.split("\n");
  const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trimStart());
  const event = lines.find((line) => line.startsWith("event:"))?.slice(6).trim() ?? "message";
  return data.length ? { event, data: JSON.parse(data.join("\n")) } : null;
}

const unreachable = () => t("unreachable");
const refused = (status) => t("refused", { status });
