/* The page's frame: the tabs, the index, the language and the colours. */

import { getJson } from "./api.js";
import { AskView } from "./ask.js";
import { ExportedAnswer } from "./exported.js";
import { NARROW, html, render, useClosing, useEffect, useErrorBoundary, useMedia, useRef, useState } from "./html.js";
import { isExport } from "./inlined.js";
import { tellMethods } from "./methods.js";
import { usePlace } from "./places.js";
import { Reader } from "./reader.js";
import { THEMES, setTheme, theme } from "./theme.js";
import { LANGUAGES, language, onLanguage, setLanguage, t } from "./words.js";

/* The tabs; those that are not needed at first are loaded when they are opened. A view gets
   `server` (the reply of page/state), `index`, `refresh` (reads that again), `active`, `path` (what
   follows the tab in the address) and `openDocument({document, at, end, quote, title, index})`, in which `index` may be left out. */
const TABS = {
  ask: () => (isExport ? ExportedAnswer : AskView),
  documents: () => import("./documents.js").then((part) => part.DocumentsView),
  explore: () => import("./explore.js").then((part) => part.ExploreView),
  ...(!isExport && { evaluations: () => import("./evaluations.js").then((part) => part.EvaluationsView) }),
};
const KEPT = "ragraphs.index";
const LOOKED_AT = isExport ? [] : ["focus", "hashchange"]; // others may have changed the index

function Page() {
  const [named, path] = usePlace();
  const [index, setIndex] = useState(() => localStorage.getItem(KEPT) ?? "");
  const [server, problem, refresh] = useServer(index, () => setIndex(""));
  const tabs = Object.keys(TABS).filter((name) => name !== "evaluations" || server?.evaluated);
  const tab = tabs.includes(named) ? named : "ask";
  const [opened, setOpened] = useState(null);
  const [visited, setVisited] = useState([]);
  useLanguage();
  useEffect(() => {
    if (named !== "document") return;
    const [of, document, at, end] = path;
    setOpened({ index: of, document, at: Number(at) || 0, end: Number(end) || undefined });
  }, [named, ...path]);
  useEffect(() => {
    document.title = [t(tab), server?.title, "ragraphs"].filter(Boolean).join(" · ");
    setVisited((before) => (before.includes(tab) ? before : [...before, tab]));
  });
  const choose = (name) => {
    localStorage.setItem(KEPT, name);
    setIndex(name);
  };
  const given = { server, index: server?.index ?? index, refresh, openDocument: setOpened };
  const shown = visited.includes(tab) ? visited : [...visited, tab];
  return html`
    <a class="skip" href="#main" onClick=${toMain}>${t("skip")}</a>
    <${Head} tabs=${tabs} tab=${tab} server=${server} index=${given.index} choose=${choose} />
    <main class="main" id="main" tabindex="-1" data-index=${server?.index}>
      ${leftOut(server) && html`<p class="note warning small" data-part="left-out">${t("exported_without", server.left_out)}</p>`}
      ${problem && html`<${Unreachable} problem=${problem} retry=${refresh} />`}
      ${server &&
      shown.map(
        (name) => html`<section key=${name} hidden=${name !== tab} aria-label=${t(name)}>
          <${Part} name=${name} given=${{ ...given, active: name === tab, path: name === tab ? path : [] }} />
        </section>`,
      )}
    </main>
    ${opened && html`<${Reader} ...${{ index: given.index, ...opened }} onClose=${() => setOpened(null)} />`}
  `;
}

const leftOut = (server) => server?.left_out?.passages + server?.left_out?.entities > 0;

function Head({ tabs, tab, server, index, choose }) {
  const given = { server, index, choose };
  return html`<header class="head">
    <a class="brand" href="#ask" aria-label="ragraphs"
      ><img src="page/static/icon.svg" alt="" /><span>ragraphs</span></a
    >
    <nav class="tabs" aria-label=${t("tabs")}>
      ${tabs.map((name) => html`<a href=${`#${name}`} aria-current=${name === tab ? "page" : null}>${t(name)}</a>`)}
    </nav>
    ${useMedia(NARROW) ? html`<${Menu} ...${given} />` : html`<div class="end"><${Ways} ...${given} /></div>`}
  </header>`;
}

/* The ways at the end of the head, where there is no room for them. */
function Menu(given) {
  const menu = useRef();
  useClosing(menu);
  return html`<details class="menu ways" ref=${menu}>
    <summary class="button quiet icon" aria-label=${t("more")}><span aria-hidden="true">⋯</span></summary>
    <div class="menu-sheet"><${Ways} ...${given} /></div>
  </details>`;
}

function Ways({ server, index, choose }) {
  const names = server?.indexes ?? [];
  return html`${server?.documents > 0 && html`<span class="size">${t("size", server)}</span>`}
    ${names.length > 1 &&
    html`<select aria-label=${t("index")} value=${index} onChange=${(event) => choose(event.target.value)}>
      ${names.map((name) => html`<option value=${name}>${name}</option>`)}
    </select>`}
    <${Switches} />`;
}

function Switches() {
  const [, show] = useState(0);
  const other = Object.keys(LANGUAGES).find((name) => name !== language());
  const next = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length];
  const said = t("theme", { theme: t(`theme_${theme()}`) });
  const turn = () => {
    setTheme(next);
    show((n) => n + 1);
  };
  return html`<button class="button quiet" type="button" lang=${other} aria-label=${LANGUAGES[other]} onClick=${() => setLanguage(other)}>
      ${LANGUAGES[other]}
    </button>
    <button class="button quiet icon" type="button" title=${said} aria-label=${said} onClick=${turn}>
      <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
        <circle cx="10" cy="10" r="7" fill="none" stroke="currentColor" stroke-width="1.6" />
        <path d=${MOONS[theme()]} fill="currentColor" />
      </svg>
    </button>`;
}

const MOONS = {
  system: "M10 3a7 7 0 0 1 0 14z",
  light: "",
  dark: "M10 3a7 7 0 0 1 0 14a7 7 0 0 1 0-14z",
};

/* A view; a sentence while it is loaded, or where it fails. */
function Part({ name, given }) {
  const [view, setView] = useState(null);
  const [missing, setMissing] = useState(false);
  const [failure, again] = useErrorBoundary((error) => console.error(error));
  useEffect(() => {
    Promise.resolve(TABS[name]()).then(
      (found) => setView(() => found),
      () => setMissing(true),
    );
  }, [name]);
  if (failure) {
    return html`<div class="empty" role="alert">
      <p>${t("part_failed", { reason: String(failure.message ?? failure) })}</p>
      <button class="button" type="button" onClick=${again}>${t("retry")}</button>
    </div>`;
  }
  if (missing) return html`<p class="empty" role="alert">${t("part_missing")}</p>`;
  if (!view) return html`<p class="empty">${t("loading")}</p>`;
  return html`<${view} ...${given} />`;
}

function Unreachable({ problem, retry }) {
  return html`<div class="empty" role="alert">
    <p>${problem}</p>
    <button class="button" type="button" onClick=${retry}>${t("retry")}</button>
  </div>`;
}

/* The state of the server for an index, which is asked for anew when the page is looked at again; an
   index that is gone gives way to the default one. */
function useServer(index, forget) {
  const [server, setServer] = useState(null);
  const [problem, setProblem] = useState("");
  const read = async () => {
    try {
      const told = await getJson("page/state", { index });
      tellMethods(told.methods);
      setServer(told);
      setProblem("");
    } catch (error) {
      if (index) forget();
      else setProblem(error.message);
    }
  };
  useEffect(() => {
    read();
    const again = () => document.hidden || read();
    for (const event of LOOKED_AT) addEventListener(event, again);
    return () => LOOKED_AT.forEach((event) => removeEventListener(event, again));
  }, [index]);
  return [server, problem, read];
}

function useLanguage() {
  const [, show] = useState(language());
  useEffect(() => onLanguage(show), []);
}

function toMain(event) {
  event.preventDefault();
  document.getElementById("main").focus();
}

render(html`<${Page} />`, document.getElementById("page"));
