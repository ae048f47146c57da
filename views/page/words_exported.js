/* The words of an exported page. */

import { addWords, counted, number } from "./words.js";

addWords({
  en: {
    exported: "A copy to read and search. It asks nobody, and works without a network.",
    exported_without: ({ passages, entities }) =>
      `This export leaves out ${counted(passages, "passage")} and ${counted(entities, "entity", "entities")} of a large index.`,
    exported_near: ({ n }) => `With all of these words (${number(n)})`,
    exported_missing: "This is not part of the export; a page that “ragraphs serve” shows has all of the index.",
  },
  ko: {
    exported: "읽고 찾아볼 수 있는 사본입니다. 네트워크 없이 열립니다.",
    exported_without: ({ passages, entities }) =>
      `큰 색인이라 구절 ${number(passages)}개와 개체 ${number(entities)}개는 내보내지 않았습니다.`,
    exported_near: ({ n }) => `이 말들이 모두 있는 구절 (${number(n)})`,
    exported_missing: "내보낸 페이지에 없는 것입니다. ‘ragraphs serve’로 여는 페이지에는 색인 전체가 있습니다.",
  },
});
