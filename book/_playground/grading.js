// Ten results of two engines, graded by the reader: then how well the reader agrees with two judges, and which engine
// leads by whose grades. Without this script it is a table with the judges' grades.

import { h, push, text } from "./dom.js";
import { guessed, keep } from "./guesses.js";

const KEPT = "ten-grades", DEPTH = 5, GRADES = [0, 1, 2, 3];
const mean = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

// 1 − how far two judges are apart on the same results, over how far any two of their grades are; NaN if all are equal.
export function kappa(one, other) {
  const far = mean(one.map((grade, i) => (grade - other[i]) ** 2));
  return 1 - far / mean(one.flatMap((grade) => other.map((theirs) => (grade - theirs) ** 2)));
}

export function ndcgOf(list, judged) {
  const dcg = (grades) => grades.slice(0, DEPTH).reduce((sum, grade, i) => sum + grade / Math.log2(i + 2), 0);
  const ideal = dcg([...judged].sort((a, b) => b - a));
  return ideal ? dcg(list) / ideal : 0;
}

const told = (x) => (Number.isFinite(x) ? x.toFixed(2).replace("-", "−") : "not defined");
const leader = ([a, b]) => (Math.abs(a - b) < 1e-9 ? "" : a > b ? "A" : "B");
const led = (values) => (leader(values) ? `${leader(values)} is ahead` : "the two are level");

class Grading extends HTMLElement {
  connectedCallback() {
    if (this.rows) return;
    const table = this.querySelector("table");
    this.rows = [...table.tBodies[0].rows].map(({ cells }) => {
      const [title, says, a, b, ...judges] = [...cells].map((cell) => cell.textContent.trim());
      return { title, says, at: [a, b].map(Number), judges: judges.map(Number) };
    });
    this.mine = guessed(KEPT) ?? {};
    this.says = h("div", { class: "ten-says", role: "status" });
    this.engines = ["A", "B"].map((name) => ({ name, bar: h("i"), value: h("b") }));
    this.race = h("div", { class: "ten-race" }, this.engines.map((one) => { one.row = h("p", {}, `Engine ${one.name} `, one.bar, one.value); return one.row; }));
    const cards = this.rows.map(({ title, says }, i) => {
      const buttons = GRADES.map((grade) => push(String(grade), () => this.give(i, grade), null, { "aria-pressed": "false" }));
      this.rows[i].buttons = buttons;
      return h("li", {}, h("b", {}, title), h("p", {}, says), h("div", { role: "group", "aria-label": `Your grade for ${title}` }, buttons));
    });
    table.parentElement.hidden = true;
    this.append(h("ol", { class: "ten-cards" }, cards), this.race, this.says);
    this.show();
  }

  give(i, grade) {
    this.mine = { ...this.mine, [i]: grade };
    keep(KEPT, this.mine);
    this.show();
  }

  // NDCG of both engines by these grades of the ten.
  values(grades) {
    return [0, 1].map((engine) => ndcgOf(grades.map((grade, i) => [this.rows[i].at[engine], grade]).filter(([rank]) => rank).sort(([a], [b]) => a - b).map(([, grade]) => grade), grades));
  }

  // The first single grade whose change would let the other engine lead.
  turned(grades) {
    const now = leader(this.values(grades)), near = [1, -1, 2, -2, 3, -3];
    for (const by of near) for (const [i, grade] of grades.entries()) {
      if (!GRADES.includes(grade + by)) continue;
      const then = leader(this.values(grades.with(i, grade + by)));
      if (then && then !== now) return `Give “${this.rows[i].title}” a ${grade + by} instead of ${grade}, and ${then} is ahead. Try it.`;
    }
    return "";
  }

  show() {
    for (const [i, { buttons }] of this.rows.entries()) for (const [grade, button] of buttons.entries()) button.setAttribute("aria-pressed", String(this.mine[i] === grade));
    const grades = this.rows.map((_, i) => this.mine[i]), open = grades.filter((grade) => grade === undefined).length;
    this.race.hidden = open > 0;
    if (open) return text(this.says, open === this.rows.length ? "" : `${open} to go.`);
    const values = this.values(grades), judges = [0, 1].map((judge) => this.rows.map(({ judges }) => judges[judge]));
    for (const [i, { row, bar, value, name }] of this.engines.entries()) {
      bar.style.width = `${60 * values[i]}%`;
      text(value, values[i].toFixed(3));
      row.style.order = leader(values) === name ? 0 : 1;
    }
    const theirs = judges.map((given) => this.values(given));
    const lines = [
      `By your grades ${led(values)}. By the first judge ${led(theirs[0])}, ${theirs[0].map((x) => x.toFixed(3)).join(" to ")}, and by the second ${led(theirs[1])}, ${theirs[1].map((x) => x.toFixed(3)).join(" to ")}.`,
      `Your kappa is ${told(kappa(grades, judges[0]))} with the first judge and ${told(kappa(grades, judges[1]))} with the second; the two judges have ${told(kappa(...judges))} with each other on these ten.`,
      this.turned(grades),
    ];
    this.says.replaceChildren(...lines.filter(Boolean).map((line) => h("p", {}, line)));
  }
}

customElements.define("ndcg-grading", Grading);
