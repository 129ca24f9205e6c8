// The five pages about kettles, and what a ranked list of any pages is worth. Each number comes from math.js.

import { evaluate } from "./math.js";
import { PRESETS } from "./made-at-build-time.js";

const drawn = (inside) => `<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linejoin="round" stroke-linecap="round">${inside}</svg>`;
// By a word of the title, so that a page has its picture wherever it is named.
const ICONS = Object.entries({
  steps: '<path d="M7 9h9l2 10.5H5z"/><path d="M8 9a3.6 3.6 0 0 1 7 0M11.5 5V3.5M17 12l4-3M9 13v3M12 13v3"/>',
  vinegar: '<circle cx="12" cy="12" r="8.5"/><circle cx="12" cy="12" r="6"/><path d="M12 6v12M6.8 9l10.4 6M6.8 15l10.4-6"/>',
  limescale: '<path d="M3 20l5-12 3 6 3-9 7 15z"/><path d="M8 8l1 12M14 5l0 15"/>',
  prices: '<path d="M3.5 12V4h8l9 9-8 8z"/><circle cx="8" cy="8.5" r="1.3"/><path d="M10.5 13.5l3-3"/>',
  steam: '<path d="M4 16V6h5v5h9v5zM18 11V6h-3v5M3 6h7"/><circle cx="7.5" cy="18" r="2"/><circle cx="15.5" cy="18" r="2"/><path d="M18 16l3 3"/>',
});

export const iconOf = (title) => {
  const found = ICONS.find(([word]) => title.toLowerCase().includes(word));
  return found ? drawn(found[1]) : "";
};

export const KETTLE = {
  steps: { title: "Descale a kettle in five steps", grade: 3 },
  vinegar: { title: "Vinegar or citric acid?", grade: 2 },
  limescale: { title: "Where limescale comes from", grade: 1 },
  prices: { title: "Kettles: all prices", grade: 0 },
  steam: { title: "Scale models of steam engines", grade: 0 },
};
export const A = ["steps", "steam", "limescale", "prices", "vinegar"];
export const B = ["prices", "steps", "vinegar", "limescale", "steam"];

export const marks = (grade, most = 3) => (grade > 5 || !Number.isInteger(grade)
  ? `<span class="pips number">${grade}</span>`
  : `<span class="pips" aria-hidden="true">${Array.from({ length: Math.max(most, grade) }, (_, i) => `<i class="${i < grade ? "on" : ""}"></i>`).join("")}</span>`);

const PLAIN = { gain: "linear", table: {}, discount: "modern", base: 2, p: 0.8, ideal: "judged", ties: "order", empty: 0 };

// Everything about an order: list and missed are names, pages says the grade of each.
export function score(pages, list, { missed = [], ideal = null, k = null, convention = "" } = {}) {
  const preset = typeof convention === "object" ? convention : PRESETS.find((one) => one.name === convention);
  const { name, whom, ...chosen } = preset ?? {};
  const how = { ...PLAIN, ...chosen, k, ...(ideal ? { ideal } : {}) };
  const grades = list.map((id) => pages[id].grade);
  const all = evaluate({ names: list, grades, tied: grades.map(() => false), missed: missed.map((id) => pages[id].grade) }, how);
  const known = [...list, ...missed];
  const term = (grade, gain, rank, id) => ({ id, grade, gain, rank: rank + 1, share: all.discounts[rank], counts: rank < all.k, value: rank < all.k ? gain * all.discounts[rank] : 0 });
  return {
    ...all, grades,
    terms: grades.map((grade, i) => term(grade, all.gains[i], i, list[i])),
    best: all.idealGrades.map(([grade, gain, place], i) => term(grade, gain, i, known[place])),
  };
}

export function orders(list) {
  if (list.length < 2) return [list];
  return list.flatMap((first, i) => orders([...list.slice(0, i), ...list.slice(i + 1)]).map((rest) => [first, ...rest]));
}
