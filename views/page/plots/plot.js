/* A plot of an evaluation: its caption, its drawing, and the same figures as a table. */

import { html, useEffect, useRef, useState } from "../html.js";
import { t } from "../words.js";
import { BarsDrawing } from "./bars.js";
import { CurvesDrawing } from "./curves.js";
import { FiguresTable, hasIntervals, isBare } from "./figures.js";
import { MatrixDrawing } from "./matrix.js";

const KINDS = { bars: BarsDrawing, matrix: MatrixDrawing, curves: CurvesDrawing };

/* A `plot` as evaluation/plots.py makes it; `id` is one of its own on the page. */
export function Plot({ plot, id }) {
  const box = useRef();
  const width = useWidth(box);
  const Drawing = Object.hasOwn(KINDS, plot.kind) ? KINDS[plot.kind] : null;
  if (!Drawing) return html`<p class="soft">${t("p_unknown")}</p>`;
  const bare = isBare(plot);
  const note = bare ? t("p_nothing") : noteOf(plot);
  return html`<figure class="plot" data-part="plot" data-kind=${plot.kind}>
    <figcaption>
      <h3>${plot.title}</h3>
      ${note && html`<p class="small soft">${note}</p>`}
    </figcaption>
    <div class="plot-box" ref=${box}>
      ${width > 0 && !bare && html`<${Drawing} plot=${plot} width=${width} id=${id} label=${t("p_label", plot)} />`}
    </div>
    <details class="figures">
      <summary>${t("p_figures")}</summary>
      <div class="figures-box" role="region" tabindex="0" aria-label=${t("p_table", plot)}>
        <${FiguresTable} plot=${plot} />
      </div>
    </details>
  </figure>`;
}

/* The unit where figures may stand without it, or what the lines across figures are. */
function noteOf(plot) {
  if (plot.kind === "matrix") return plot.unit === "share" ? t("p_percent") : "";
  return hasIntervals(plot) ? t("p_intervals") : "";
}

/* The width of an element in pixels, followed while it changes; of a hidden one the last. */
function useWidth(ref) {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!ref.current) return undefined;
    const watched = new ResizeObserver(([entry]) => {
      const found = Math.floor(entry.contentRect.width);
      if (found > 0) setWidth(found);
    });
    watched.observe(ref.current);
    return () => watched.disconnect();
  }, []);
  return width;
}
