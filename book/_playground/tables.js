// What stands below the lists: the formula, NDCG at each k, what swaps are worth, what libraries print.

import { afterSwap, ofLibraries } from "./math.js";
import { generalMathml, linesMathml } from "./formula.js";
import { h, push } from "./dom.js";
import { fixed, short, signed, value } from "./numbers.js";
import { listOf } from "./state.js";
import { differences } from "./words.js";

export class Result {
  constructor(heading) {
    this.numbers = h("dl", { class: "numbers" });
    this.scale = h("div", { class: "scale" });
    this.element = h("section", { class: "result" }, h(heading, {}, "The result"), this.numbers, this.scale);
  }

  show({ convention }, result) {
    const { k, dcg, idcg, ndcg, random, best, worst } = result;
    const entry = (name, number, kind) => h("div", { class: kind }, h("dt", {}, name), h("dd", {}, number));
    this.numbers.replaceChildren(
      entry(`NDCG@${k}`, value(ndcg, convention.empty), "main"), entry(`DCG@${k}`, fixed(dcg), "of-dcg"), entry(`IDCG@${k}`, fixed(idcg), "of-idcg"),
      entry("in random order", value(random, convention.empty), "of-random"));
    this.scale.hidden = Number.isNaN(ndcg);
    if (this.scale.hidden) return;
    const percent = (x) => `${Math.max(0, Math.min(1, x)) * 100}%`;
    const at = (kind, x, width = "") => {
      const mark = h("span", { class: kind });
      Object.assign(mark.style, { left: percent(x), width });
      return mark;
    };
    this.scale.replaceChildren(
      h("div", { class: "line", "aria-hidden": "true" }, at("range", worst, percent(Math.min(1, best) - worst)), at("mark random", random), at("mark now", ndcg)),
      h("p", { class: "words" }, `These documents in their worst order: ${fixed(worst)}; in random order, on average: ${fixed(random)}; in their best order: ${fixed(best)}.`));
  }
}

export class Formula {
  constructor(heading) {
    this.general = h("div", { class: "general" });
    this.lines = h("div", { class: "sums" });
    this.element = h("section", { class: "formula" }, h(heading, {}, "The formula, with these numbers"), this.general, this.lines);
  }

  show(state, result) {
    this.general.innerHTML = generalMathml(state.convention, result.k).map((math) => `<p>${math}</p>`).join("");
    this.lines.innerHTML = linesMathml(state, result).map((line) => `<p>${line.join(" ")}</p>`).join("");
  }
}

export class AtEachK {
  constructor(heading) {
    this.body = h("tbody");
    this.element = h("section", { class: "each-k" }, h(heading, {}, "At each cut-off k"), table("At each cut-off", ["k", "CG", "DCG", "IDCG", "NDCG", "random"], this.body));
  }

  show({ convention }, result) {
    const last = Math.min(result.k, result.n);
    this.body.replaceChildren(...result.atEachK.map((at) => h("tr", { class: at.k === last ? "here" : null },
      h("th", { scope: "row" }, at.k === last ? `${at.k} ◂` : `${at.k}`),
      [short(at.cg), fixed(at.dcg), fixed(at.idcg), value(at.ndcg, convention.empty), value(at.random, convention.empty)].map((x) => h("td", {}, x)))));
  }
}

export class Swaps {
  constructor(heading, acts) {
    this.acts = acts;
    this.list = h("ol", { class: "swap-list" });
    this.apart = h("select", { onchange: () => this.show(...this.shown) });
    this.element = h("section", { class: "swaps" }, h(heading, {}, "What each swap adds to NDCG"), h("label", {}, "Ranks apart ", this.apart), this.list);
  }

  show(...shown) {
    this.shown = shown;
    const [state, result] = shown, list = listOf(state), { returned } = state;
    const apart = Math.max(1, Math.min(this.apart.value || 1, returned.length - 1));
    this.apart.replaceChildren(...returned.map((_, i) => h("option", { selected: i === apart }, i)).slice(1));
    const rows = returned.slice(apart).map(({ name: lower }, i) => {
      const upper = returned[i].name, j = i + apart;
      const change = afterSwap(list, state.convention, i, j) - result.ndcg;
      const kind = Math.abs(change) < 0.0005 ? "level" : change > 0 ? "better" : "worse";
      const words = Number.isNaN(change) ? "no value" : signed(change);
      return h("li", {},
        push(`Swap ranks ${i + 1} and ${j + 1} (${upper}, ${lower})`, () => this.acts.swap(i, j, `swap-${i}`), `swap-${i}`),
        h("span", { class: `change ${kind}` }, words));
    });
    this.list.replaceChildren(...(rows.length ? rows : [h("li", {}, "There is nothing to swap.")]));
  }
}

export class Libraries {
  constructor(heading, libraries) {
    this.libraries = libraries;
    this.body = h("tbody");
    this.title = h(heading);
    this.element = h("section", { class: "libraries" }, this.title,
      h("p", { class: "words" }, "Computed here by the definition that each was measured to follow, with your list and cut-off. The program itself was not asked, and may refuse fractional grades."),
      table("What libraries print", ["NDCG", "who prints it"], this.body));
  }

  show(state, result) {
    const printed = ofLibraries(listOf(state), state.convention.k, this.libraries);
    const hasTies = state.tied.some(Boolean);
    this.title.textContent = `What libraries would print for this list${state.convention.k === null ? "" : `, k = ${state.convention.k}`}`;
    const groups = new Map();
    for (const library of printed) {
      const shown = value(library.ndcg, library.convention.empty);
      groups.set(shown, [...(groups.get(shown) ?? []), library]);
    }
    const rows = [...groups].sort(([a], [b]) => b.localeCompare(a));
    const own = value(result.ndcg, state.convention.empty);
    this.body.replaceChildren(...rows.map(([shown, group]) => h("tr", { class: shown === own ? "here" : null },
      h("th", { scope: "row" }, shown === own ? `${shown} ◂` : shown),
      h("td", {}, h("ul", {}, group.map(({ name, whom, convention }) => {
        const how = differences(convention, hasTies, Number.isNaN(result.ndcg) || result.idcg === 0);
        return h("li", {}, h("b", {}, name), ` ${whom}`, how ? h("span", { class: "how" }, ` – ${how}`) : null);
      }))))));
  }
}

function table(label, headings, body) {
  return h("div", { class: "scroll", role: "region", "aria-label": label, tabindex: 0 },
    h("table", {}, h("thead", {}, h("tr", {}, headings.map((heading) => h("th", { scope: "col" }, heading)))), body));
}
