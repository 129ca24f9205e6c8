// The two lists: rows that stay the same elements while documents move, so that focus and typing survive.

import { button, enable, glide, h, push, set, text } from "./dom.js";
import { HIGHEST_GRADE } from "./state.js";
import { fixed, short } from "./numbers.js";

export class Lists {
  constructor(acts, heading) {
    this.acts = acts;
    this.rows = new Map();
    this.returned = h("ol", { class: "rows returned", "data-list": "returned", "aria-label": "Returned documents, best rank first" });
    this.missed = h("ul", { class: "rows missed", "data-list": "missed", "aria-label": "Judged, but not returned" });
    this.element = h("div", { class: "lists" },
      h("section", { class: "list" },
        h(heading, {}, "Returned, in ranked order ", h("span", { class: "now-value" })),
        this.returned),
      h("section", { class: "list beside" },
        h(heading, {}, "Judged, not returned"),
        this.missed,
        this.add = push("Add a document", acts.add, "add", { class: "wide" })));
    this.nothing = {
      returned: h("li", { class: "nothing" }, "Nothing is returned. Drag a document here, or press its ← button."),
      missed: h("li", { class: "nothing" }, "None: every judged document is returned."),
    };
  }

  show(state, result, full) {
    const { returned, missed } = state;
    const names = new Set([...returned, ...missed].map((document) => document.name));
    for (const [name, row] of this.rows) if (!names.has(name)) { row.element.remove(); this.rows.delete(name); }
    const highest = Math.max(1e-9, ...result.idealGrades.map(([, gain]) => gain), ...result.gains);
    glide(() => [...this.rows.values()].map((row) => row.element), () => {
      this.arrange(this.returned, returned, this.nothing.returned);
      this.arrange(this.missed, missed, this.nothing.missed);
    });
    returned.forEach((document, place) => {
      const weight = result.weights[place], gain = result.gains[place];
      this.rows.get(document.name).showReturned(document, place, returned, {
        tied: state.tied[place], counts: weight > 0 || place < result.k, gain, weight, highest, top: result.discounts[0],
      });
    });
    missed.forEach((document) => this.rows.get(document.name).showMissed(document));
    const crossing = result.k < returned.length ? this.rows.get(returned[result.k].name).element : null;
    for (const { element } of this.rows.values()) element.classList.toggle("after-cut", element === crossing);
    set(this.add, "aria-disabled", full ? "true" : null);
  }

  arrange(list, documents, nothing) {
    const wanted = documents.length ? documents.map(({ name }) => this.row(name).element) : [nothing];
    wanted.forEach((element, i) => {
      if (list.children[i] !== element) list.insertBefore(element, list.children[i] ?? null);
    });
    while (list.children.length > wanted.length) list.lastElementChild.remove();
  }

  row(name) {
    if (!this.rows.has(name)) this.rows.set(name, new Row(name, this.acts));
    return this.rows.get(name);
  }
}

class Row {
  constructor(name, acts) {
    this.name = name;
    this.how = h("span", { class: "unseen" });
    this.handle = push(h("span", { class: "grip", "aria-hidden": "true" }, "⠿"), null, `handle-${name}`, { class: "handle", "data-drag": name });
    this.handle.append(this.rank = h("span", { class: "rank" }), " ", acts.title(name) ? h("span", { class: "title" }, acts.title(name)) : null, h("span", { class: "name" }, name), this.how);
    this.input = h("input", {
      type: "number", min: 0, max: HIGHEST_GRADE, step: "any", inputmode: "decimal", "aria-label": `Grade of ${name}`, "data-key": `grade-${name}`,
      oninput: () => acts.type(name, this.input), onblur: () => acts.typed(name, this.input),
    });
    this.stepper = h("span", { class: "stepper" },
      button(`Lower the grade of ${name}`, "−", () => acts.step(name, -1), `less-${name}`), this.input,
      button(`Raise the grade of ${name}`, "+", () => acts.step(name, 1), `more-${name}`));
    this.up = button(`Move ${name} up`, "↑", () => acts.shift(name, -1), `up-${name}`);
    this.down = button(`Move ${name} down`, "↓", () => acts.shift(name, 1), `down-${name}`);
    this.same = button("", "=", () => acts.tie(name), `same-${name}`);
    this.out = button(`Take ${name} out of the returned list`, "→", () => acts.takeOut(name), `out-${name}`);
    this.back = button(`Return ${name}, at the last rank that counts`, "←", () => acts.putBack(name), `back-${name}`);
    this.remove = button(`Remove ${name}`, "×", () => acts.remove(name), `remove-${name}`);
    this.moves = h("span", { class: "moves" });
    this.bars = h("span", { class: "bars" }, ["gain", "discount", "contribution"].map((idea) => {
      const number = h("span", { class: "number" }), fill = h("span", { class: "fill" });
      this[idea] = { number, fill };
      return h("span", { class: `bar ${idea}` }, h("span", { class: "label" }, `${idea} `), number, h("span", { class: "track" }, fill));
    }));
    this.element = h("li", { class: "row", "data-name": name }, this.handle, this.stepper, this.moves, this.bars);
  }

  showGrade(grade) {
    if (this.input.valueAsNumber !== grade && !(this.input.matches(":focus") && this.input.value === "")) this.input.value = grade;
    this.input.removeAttribute("aria-invalid");
  }

  showMoves(...buttons) {
    if (this.moves.children.length !== buttons.length || buttons.some((element, i) => this.moves.children[i] !== element)) {
      this.moves.replaceChildren(...buttons);
    }
  }

  showReturned(document, place, all, { tied, counts, gain, weight, highest, top }) {
    this.showGrade(document.grade);
    this.showMoves(this.up, this.down, this.same, this.out);
    text(this.rank, `${place + 1}`);
    text(this.how, `, rank ${place + 1} of ${all.length}. Drag, or move with the arrow keys`);
    enable(this.up, place > 0);
    enable(this.down, place + 1 < all.length);
    const above = all[place - 1]?.name;
    set(this.same, "aria-label", above ? `Tie ${this.name} with ${above}, above it` : `${this.name} is the first: no document above it`);
    set(this.same, "aria-pressed", String(Boolean(tied)));
    enable(this.same, place > 0);
    this.element.classList.toggle("tied", Boolean(tied));
    this.element.classList.toggle("not-counted", !counts);
    this.bar("gain", gain / highest, short(gain));
    this.bar("discount", weight / top, fixed(weight));
    this.bar("contribution", (gain * weight) / (highest * top), fixed(gain * weight));
    this.bars.hidden = false;
  }

  showMissed(document) {
    this.showGrade(document.grade);
    this.showMoves(this.back, this.remove);
    text(this.rank, "");
    text(this.how, ", judged, not returned. Drag, or press the left arrow key to return it");
    this.element.classList.remove("tied", "not-counted");
    this.bars.hidden = true;
  }

  bar(idea, share, words) {
    text(this[idea].number, words.length > 9 ? Number(words).toExponential(2) : words);
    this[idea].fill.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  }
}
