/* What the page says, in English and Korean. Each part adds its own words: words_PART.js. */

const WORDS = { en: {}, ko: {} };
const KEPT = "ragraphs.language";
const heard = new Set();
let chosen = localStorage.getItem(KEPT) ?? (/^ko\b/i.test(navigator.language) ? "ko" : "en");

/* The languages by their own names. */
export const LANGUAGES = { en: "English", ko: "한국어" };

/* The language in use. */
export const language = () => chosen;

/* Takes another language into use, and keeps it for the next visit. */
export function setLanguage(name) {
  chosen = name;
  localStorage.setItem(KEPT, name);
  document.documentElement.lang = name;
  heard.forEach((tell) => tell(name));
}

/* Calls `tell` whenever the language changes; returns a function that ends this. */
export function onLanguage(tell) {
  heard.add(tell);
  return () => heard.delete(tell);
}

/* The language of a text by its letters ("ko", "ja" or "zh"); undefined where they do not tell. */
export function languageOf(text) {
  const beginning = `${text ?? ""}`.slice(0, 2000);
  const count = (letters) => beginning.match(letters)?.length ?? 0;
  const latin = count(/\p{Script=Latin}/gu) / 3; // a word in Latin letters has about three times as many
  if (count(/\p{Script=Hangul}/gu) > latin) return "ko";
  const kana = count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  if (kana + count(/\p{Script=Han}/gu) <= latin) return undefined;
  return kana ? "ja" : "zh";
}

/* Adds the words of a part: addWords({en: {key: "..."}, ko: {key: "..."}}). */
export function addWords(words) {
  for (const name of Object.keys(WORDS)) Object.assign(WORDS[name], words[name]);
}

/* The words of a key, with values filled in: t("and_more", {n: 3}). Words are a text with {names}, or
   a function of the values where the form depends on them. */
export function t(key, values = {}) {
  const words = WORDS[chosen][key] ?? WORDS.en[key] ?? key;
  if (typeof words === "function") return words(values);
  return words.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/* Whether there are words for a key. */
export const known = (key) => key in WORDS.en;

/* A number as it is written in the language in use. */
export function number(value, options) {
  return new Intl.NumberFormat(chosen, options).format(value);
}

/* A number and its noun in English: counted(2, "entity", "entities") is "2 entities". */
export function counted(n, one, many = `${one}s`) {
  return `${number(n)} ${n === 1 ? one : many}`;
}

/* The documents of an index in English; all rows of a table are one, with their number. */
export const documentsIn = ({ files, rows }) => counted(files, "document") + (rows ? ` (${counted(rows, "row")} of tables)` : "");

/* The same in Korean. */
export const documentsInKorean = ({ files, rows }) => `문서 ${number(files)}개` + (rows ? `(표의 행 ${number(rows)}개)` : "");

document.documentElement.lang = chosen;

addWords({
  en: {
    skip: "Skip to the content",
    tabs: "Parts of the page",
    ask: "Ask",
    documents: "Documents",
    explore: "Explore",
    evaluations: "Results",
    language: "Language",
    theme: "Colours: {theme}",
    theme_system: "as the system",
    theme_light: "light",
    theme_dark: "dark",
    index: "Index",
    loading: "Loading…",
    close: "Close",
    cancel: "Cancel",
    retry: "Try again",
    more: "More",
    less: "Less",
    unreachable: "The server cannot be reached; see whether it still runs, and try again.",
    refused: "The server refused this (status {status}); its log says why.",
    part_missing: "This part of the page could not be loaded; reload the page.",
    part_failed: "Something went wrong on this page: {reason} Reload it; nothing stored is lost.",
    size: (server) => `${documentsIn(server)} · ${counted(server.passages, "passage")}`,
  },
  ko: {
    skip: "본문으로 건너뛰기",
    tabs: "페이지의 부분",
    ask: "질문",
    documents: "문서",
    explore: "탐색",
    evaluations: "평가",
    language: "언어",
    theme: "색상: {theme}",
    theme_system: "시스템 설정",
    theme_light: "밝게",
    theme_dark: "어둡게",
    index: "색인",
    loading: "불러오는 중…",
    close: "닫기",
    cancel: "취소",
    retry: "다시 시도",
    more: "더 보기",
    less: "접기",
    unreachable: "서버에 연결할 수 없습니다. 서버가 실행 중인지 확인한 뒤 다시 시도하세요.",
    refused: "서버가 요청을 거절했습니다(상태 {status}). 이유는 서버 로그에 있습니다.",
    part_missing: "페이지의 이 부분을 불러오지 못했습니다. 페이지를 새로 고치세요.",
    part_failed: "페이지에 문제가 생겼습니다: {reason} 새로 고치세요. 저장된 것은 그대로입니다.",
    size: (server) => `${documentsInKorean(server)} · 구절 ${number(server.passages)}개`,
  },
});
