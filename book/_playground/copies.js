// What "copy" gives: a Python cell that computes the same with ndcg_lib, a Markdown table, the sums in LaTeX.

import { evaluate } from "./math.js";
import { latex } from "./formula.js";
import { CHOICES } from "./choices.js";
import { fixed, short } from "./numbers.js";
import { DEFAULTS, listOf } from "./state.js";
import { blanks, parametersOf } from "./words.js";

export function asPython(state) {
  const { convention } = state;
  const list = listOf(state), result = evaluate(list, convention);
  const lines = ["import ndcg_lib as nd", "", `grades = [${list.grades.join(", ")}]`];
  const tied = list.tied.some(Boolean);
  const keywords = [];
  if (convention.k !== null) keywords.push(`k=${convention.k}`);
  if (list.missed.length) {
    lines.push(`judged = [*grades${list.missed.map((grade) => `, ${grade}`).join("")}]`);
    keywords.push("judged=judged");
  }
  if (tied) {
    let score = list.grades.length;
    lines.push(`scores = [${list.tied.map((same, i) => (same || !i ? score : --score)).join(", ")}]`);
    if (convention.ties !== DEFAULTS.ties) keywords.push(`ties="${convention.ties}"`);
    if (convention.ties.startsWith("id")) keywords.push(`ids=[${list.names.map((name) => `"${name}"`).join(", ")}]`);
  }
  if (convention.gain === "table") {
    lines.push(`gain = {${Object.entries(convention.table).map(([grade, gain]) => `${grade}: ${gain}`).join(", ")}}`);
    keywords.push("gain=gain");
  }
  for (const name of ["gain", "discount", ...parametersOf(convention), "ideal", "empty"]) {
    const chosen = convention[name];
    if (chosen !== DEFAULTS[name] && chosen !== "table") keywords.push(`${name}=${JSON.stringify(chosen)}`);
  }
  const call = tied ? ["nd.ndcg_scores(grades", "scores", ...keywords] : ["nd.ndcg(grades", ...keywords];
  lines.push(`${call.join(", ")})  # ${Number.isNaN(result.ndcg) ? (convention.empty === "raise" ? "an error" : "nan") : result.ndcg}`);
  return `${lines.join("\n")}\n`;
}

const HEADINGS = ["rank", "document", "grade", "gain", "discount", "contribution", "CG", "DCG", "ideal grade", "IDCG", "NDCG"];

export function asMarkdown(state) {
  const { convention, returned } = state;
  const result = evaluate(listOf(state), convention);
  const rule = HEADINGS.map((heading) => (heading === "document" ? ":--" : "--:"));
  const rows = result.atEachK.slice(0, result.k).map((at, rank) => {
    const document = returned[result.order[rank]], ideal = result.idealGrades[rank];
    const gain = document ? result.gains[result.order[rank]] : NaN;
    const weight = document ? result.weights[result.order[rank]] : result.discounts[rank];
    return [
      `${rank + 1}`, document?.name ?? "-", short(document?.grade ?? NaN), short(gain), fixed(weight),
      fixed((document ? gain : 0) * weight), short(at.cg), fixed(at.dcg), short(ideal ? ideal[0] : NaN), fixed(at.idcg), fixed(at.ndcg),
    ];
  });
  const table = [HEADINGS, rule, ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
  return `${table}\n\n${definition(convention)}\n`;
}

export function asLatex(state) {
  return latex(state, evaluate(listOf(state), state.convention));
}

// The convention in one line, as Convention.definition() has it.
export function definition(convention) {
  const text = (choice) => CHOICES[choice].options[convention[choice]].text(blanks(convention));
  const pairs = Object.entries(convention.table).map(([grade, worth]) => `${grade}: ${worth}`).join(", ");
  const gain = convention.gain === "table" ? `{${pairs}}` : text("gain"), at = convention.k === null ? "" : `@${convention.k}`;
  return `NDCG${at}: gain ${gain}; discount ${text("discount")}; ideal ${text("ideal")}; no relevant document: ${text("empty")}`;
}
