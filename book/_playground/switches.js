// The switches of the convention.

import { h, set } from "./dom.js";
import { ranks } from "./math.js";
import { PARAMETERS } from "./choices.js";
import { CHOICE_WORDS, optionsOf, parameterTitle, parametersOf } from "./words.js";
import { baseName } from "./numbers.js";

export class Switches {
  constructor(acts, heading, libraries) {
    this.acts = acts;
    this.radios = Object.fromEntries(["gain", "discount", "ideal", "empty"].map((choice) => [choice, this.radioGroup(choice)]));
    this.k = h("select", { "data-key": "k", onchange: () => acts.choose("k", this.k.value === "" ? null : Number(this.k.value)) });
    this.parameters = Object.keys(PARAMETERS).map((name) => [name, h("select", {
      "data-key": name, onchange: (event) => acts.choose(name, Number(event.target.value)),
    })]);
    this.ties = h("select", { "data-key": "ties", onchange: () => acts.choose("ties", this.ties.value) },
      optionsOf("ties").map((name) => h("option", { value: name }, CHOICE_WORDS.ties.options[name])));
    this.preset = h("select", { "data-key": "preset", onchange: () => this.preset.value && acts.adopt(this.preset.value) },
      h("option", { value: "" }, "a convention of its own"),
      libraries.map(({ name, whom }) => h("option", { value: name }, `${name} – ${whom}`)));
    this.table = h("fieldset", { class: "table" });
    this.element = h("section", { class: "switches" },
      h(heading, {}, "The convention ", h("span", { class: "now-value" })),
      this.label("As in", this.preset),
      h("div", { class: "groups" },
        this.radios.gain.element, this.table, this.radios.discount.element, this.radios.ideal.element, this.radios.empty.element),
      h("div", { class: "selects" },
        this.label("Cut-off k", this.k), this.parameters.map(([name, select]) => this.label(parameterTitle(name), select)),
        this.label("Equal scores (=) count", this.ties)));
  }

  label(words, control) {
    return h("label", {}, h("span", {}, words), control);
  }

  radioGroup(choice) {
    const { title, options } = CHOICE_WORDS[choice];
    const inputs = optionsOf(choice).map((option) => ({
      option,
      input: h("input", { type: "radio", name: choice, value: option, "data-key": `${choice}-${option}`, onchange: () => this.acts.choose(choice, option) }),
    }));
    const labels = inputs.map(({ option, input }) => h("label", {}, input, h("span", {}, options[option])));
    return { inputs, element: h("fieldset", {}, h("legend", {}, title), h("div", { class: "options" }, labels)) };
  }

  show(state, result, presetName) {
    const { convention } = state;
    for (const [choice, { inputs }] of Object.entries(this.radios)) {
      for (const { option, input } of inputs) input.checked = convention[choice] === option;
    }
    const cutoffs = ranks(Math.max(result.n, convention.k ?? 0, 10));
    fill(this.k, [["", "none: all ranks"], ...cutoffs.map((k) => [k, String(k)])], convention.k ?? "");
    for (const [name, select] of this.parameters) {
      const values = [...new Set([...PARAMETERS[name].values, convention[name]])];
      fill(select, values.map((value) => [value, baseName(value)]), convention[name]);
      set(select, "disabled", !parametersOf(convention).includes(name));
    }
    this.ties.value = convention.ties;
    this.preset.value = presetName ?? "";
    this.showTable(state);
  }

  showTable({ convention, returned, missed }) {
    this.table.hidden = convention.gain !== "table";
    if (this.table.hidden) return;
    const grades = [...new Set([...returned, ...missed].map((document) => document.grade))].sort((a, b) => b - a);
    const key = grades.join(" ");
    if (this.table.dataset.grades !== key) {
      this.table.dataset.grades = key;
      this.table.replaceChildren(h("legend", {}, "Table of gains"), ...grades.map((grade) => {
        const input = h("input", {
          type: "number", min: 0, max: 1e6, step: "any", "data-key": `gain-of-${grade}`, "data-grade": grade,
          oninput: () => this.acts.worth(grade, input),
        });
        return h("label", {}, h("span", {}, `grade ${grade}`), input);
      }));
    }
    for (const input of this.table.querySelectorAll("input")) {
      const gain = convention.table[input.dataset.grade];
      if (input.valueAsNumber !== gain && !input.matches(":focus")) input.value = gain;
    }
  }
}

function fill(select, options, chosen) {
  const key = JSON.stringify(options);
  if (select.dataset.options !== key) {
    select.dataset.options = key;
    select.replaceChildren(...options.map(([option, words]) => h("option", { value: option }, words)));
  }
  select.value = chosen;
}
