// Values as heaps of dots between 0.4 and 1, with marks below.

import { html } from "./bets.js";
import { fixed, short } from "./numbers.js";

export function heap(values, named) {
  const W = 340, low = Math.min(0.4, Math.floor(Math.min(...values) * 10) / 10), x = (v) => 10 + ((v - low) / (1 - low)) * (W - 20), heaps = {};
  const tallest = () => Math.max(...Object.values(heaps));
  const at = values.map((v) => {
    const bin = Math.round((v - low) * 50);
    return [low + bin / 50, (heaps[bin] = (heaps[bin] ?? 0) + 1)];
  });
  const pitch = Math.min(5.6, 60 / tallest());
  const dots = at.map(([v, n]) => `<circle cx="${x(v).toFixed(1)}" cy="${(68 - n * pitch).toFixed(1)}" r="2.4"/>`).join("");
  const ticks = [low, (low + 1) / 2, 1].map((v) => `<text x="${x(v)}" y="83">${short(v, 2)}</text>`).join("");
  const lines = named.map(([name, v, css = "d"]) => `<g class="${css}"><line x1="${x(v)}" x2="${x(v)}" y1="4" y2="68" stroke="currentColor" stroke-width="2.5"/><text x="${x(v)}" y="96" fill="currentColor" font-weight="700">▲ ${name}</text></g>`).join("");
  const told = named.map(([name, v]) => `${name} ${fixed(v)}`).join(", ");
  return html("div", "heap", `<svg viewBox="0 0 ${W} 100" role="img" aria-label="The NDCG of ${values.length} orders, from ${fixed(Math.min(...values))} to ${fixed(Math.max(...values))}: ${told}."><g fill="currentColor" opacity=".55">${dots}</g><line x1="10" x2="${W - 10}" y1="70" y2="70" stroke="currentColor"/><g font-size="11" fill="currentColor" text-anchor="middle">${ticks}${lines}</g></svg>`);
}
