// <ndcg-playground grades="3 0 1" missed="2" k="3" convention="burges" heading="3" theme="dark" address>
// All attributes are optional. `address` keeps the state in the address of the page. What stands between the tags is shown
// where there is no JavaScript.

import { asLatex, asMarkdown, asPython } from "./copies.js";
import { draggable } from "./drag.js";
import { enable, Figure, h, push, set, text } from "./dom.js";
import { Lists } from "./lists.js";
import { evaluate } from "./math.js";
import { baseName, value } from "./numbers.js";
import {
  added, DEFAULTS, documentsOf, fromHash, graded, HIGHEST_GRADE, History, listOf, MOST_DOCUMENTS, moved, newState,
  tiedWithAbove, toHash, withChoice, withoutDocument,
} from "./state.js";
import { Switches } from "./switches.js";
import { AtEachK, Formula, Libraries, Result, Swaps } from "./tables.js";
import { CHOICES, PARAMETERS } from "./choices.js";
import { CHOICE_WORDS, parameterTitle, resultWords, told } from "./words.js";
import { PRESETS } from "./made-at-build-time.js";

const EXAMPLES = {
  "Engine A and the kettle": { grades: [3, 0, 1, 0, 2] },
  "A missed document": { grades: [3, 2, 1], missed: [3] },
  "All tied": { grades: [0, 2, 0, 3, 1], tied: true },
  "The five films": { grades: [4, 2, 5, 3, 5] },
  "Nothing to find": { grades: [0, 0, 0] },
};
const LIBRARIES = PRESETS.map((preset) => ({ ...DEFAULTS, ...preset }));

class Playground extends Figure {
  connectedCallback() {
    super.connectedCallback();
    addEventListener("hashchange", this.followAddress);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener("hashchange", this.followAddress);
  }

  begin() {
    this.start = this.atStart();
    this.titles = (this.getAttribute("titles") ?? "").split(";").map((title) => title.trim());
    const linked = this.readsAddress() ? fromHash(location.hash) : null;
    this.history = new History(linked && !(linked instanceof Error) ? linked : this.start);
    this.build();
    this.show();
    if (linked instanceof Error) this.complain(linked);
  }

  atStart() {
    const numbers = (name) => (this.getAttribute(name) ?? "").split(/[\s,]+/).filter(Boolean).map(Number)
      .filter((grade) => grade >= 0 && grade <= HIGHEST_GRADE);
    const grades = this.hasAttribute("grades") ? numbers("grades") : [3, 2, 3, 0, 1, 2];
    const preset = LIBRARIES.find(({ name }) => name === this.getAttribute("convention"));
    const k = parseInt(this.getAttribute("k"), 10);
    const choices = preset ? choicesOf(preset) : {};
    return newState(grades, numbers("missed"), k >= 1 ? { ...choices, k } : choices);
  }

  // ---- what it is made of ----

  build() {
    const level = Number(this.getAttribute("heading"));
    const heading = `h${level >= 2 && level <= 6 ? level : 3}`;
    const acts = this.acts();
    this.lists = new Lists(acts, heading);
    this.parts = [
      this.result = new Result(heading), new Switches(acts, heading, LIBRARIES), new Formula(heading), new AtEachK(heading),
      new Swaps(heading, acts), new Libraries(heading, LIBRARIES),
    ];
    const [result, switches, formula, eachK, swaps, libraries] = this.parts.map((part) => part.element);
    this.live = h("p", { class: "unseen", role: "status", "aria-live": "polite" });
    this.undo = push("Undo", () => this.step(-1), "undo");
    this.redo = push("Redo", () => this.step(1), "redo");
    const again = push("Start again", () => this.change(this.start, "Back to the beginning."), "again");
    this.stand(h("div", { class: "playground" },
      this.lists.element,
      h("div", { class: "buttons", role: "group", "aria-label": "Undo, redo and examples" }, this.undo, this.redo, again, this.examples(acts)),
      h("div", { class: "aside" }, h("div", {}, result, formula)), switches,
      h("div", { class: "pair-of-sections" }, eachK, swaps), libraries, this.sharing(heading), this.live));
    this.shadowRoot.addEventListener("keydown", (event) => this.key(event));
    draggable(this.shadowRoot, this.lists, acts);
  }

  examples(acts) {
    const select = h("select", { "aria-label": "An example to begin with", "data-key": "examples", onchange: () => {
      if (select.value) acts.begin(select.value);
      select.value = "";
    } }, h("option", { value: "" }, "Examples …"), Object.keys(EXAMPLES).map((name) => h("option", {}, name)));
    return select;
  }

  sharing(heading) {
    this.copied = h("textarea", { readonly: true, rows: 6, "aria-label": "What was copied", hidden: true });
    this.copyWords = h("span", { class: "words" });
    const ways = {
      "Copy link": () => this.link(), "Copy as Python": () => asPython(this.state),
      "Copy as Markdown": () => asMarkdown(this.state), "Copy as LaTeX": () => asLatex(this.state),
    };
    const buttons = Object.entries(ways).map(([name, make]) => push(name, () => this.copy(make()), name));
    return h("section", { class: "sharing" }, h(heading, {}, "Take it with you"), h("div", { class: "buttons" }, buttons, this.copyWords), this.copied);
  }

  acts() {
    const name = (place) => this.state.returned[place]?.name;
    const placeOf = (wanted) => this.state.returned.findIndex((document) => document.name === wanted);
    const place = (wanted, list, to, focus = null) => {
      const before = this.state, next = moved(before, wanted, list, to);
      if (toHash(next) === toHash(before)) return this.say(told.dropped);
      const was = placeOf(wanted) >= 0;
      const words = list === "missed" ? told.missed(wanted) : (was ? told.moved : told.returned)(wanted, to + 1, next.returned.length);
      this.change(next, words, { focus });
    };
    return {
      place,
      title: (wanted) => this.titles[wanted.slice(1) - 1] ?? "",
      shift: (wanted, by, focus = null) => {
        const to = placeOf(wanted) + by;
        if (to < 0 || to >= this.state.returned.length) return this.say(told.end);
        place(wanted, "returned", to, focus);
      },
      swap: (i, j, focus) => {
        const upper = name(i), lower = name(j);
        this.change(moved(moved(this.state, lower, "returned", i), upper, "returned", j), told.moved(lower, i + 1, this.state.returned.length), { focus });
      },
      takeOut: (wanted) => place(wanted, "missed", this.state.missed.length, `handle-${wanted}`),
      putBack: (wanted) => {
        const { returned, convention } = this.state;
        place(wanted, "returned", Math.min(returned.length, (convention.k ?? Infinity) - 1), `handle-${wanted}`);
      },
      begin: (example) => {
        const { grades, missed = [], tied = false } = EXAMPLES[example];
        const fresh = newState(grades, missed, { ...this.state.convention, k: null });
        this.change({ ...fresh, tied: grades.map((_, i) => tied && i > 0) }, `${example}.`);
      },
      letGo: () => this.say(told.dropped),
      step: (wanted, by) => {
        const { grade } = documentsOf(this.state).find((document) => document.name === wanted);
        const next = Math.max(0, Math.min(HIGHEST_GRADE, Number((grade + by).toFixed(6))));
        if (next === grade) return this.say(told.grade(wanted, grade));
        this.change(graded(this.state, wanted, next), told.grade(wanted, next), { same: `grade-${wanted}` });
      },
      type: (wanted, input) => {
        const grade = input.valueAsNumber, right = grade >= 0 && grade <= HIGHEST_GRADE;
        set(input, "aria-invalid", right || input.value === "" ? null : "true");
        if (right) this.change(graded(this.state, wanted, grade), told.grade(wanted, grade), { same: `grade-${wanted}` });
        else if (input.value !== "") this.say(`A grade is a number from 0 to ${HIGHEST_GRADE}.`);
      },
      typed: (wanted, input) => {
        input.value = documentsOf(this.state).find((document) => document.name === wanted)?.grade ?? "";
        input.removeAttribute("aria-invalid");
      },
      tie: (wanted) => {
        const at = placeOf(wanted);
        if (at < 1) return this.say(told.end);
        const same = !this.state.tied[at];
        this.change(tiedWithAbove(this.state, at, same), told.tied(name(at - 1), wanted, same));
      },
      add: () => {
        if (documentsOf(this.state).length >= MOST_DOCUMENTS) return this.say(`${MOST_DOCUMENTS} documents is the most.`);
        const next = added(this.state), { name: fresh } = next.missed.at(-1);
        this.change(next, told.added(fresh), { focus: `grade-${fresh}` });
      },
      remove: (wanted) => this.change(withoutDocument(this.state, wanted), told.removed(wanted), { focus: "add" }),
      choose: (choice, option) => {
        const words = choice === "k" ? ["Cut-off k", option ?? "none"]
          : choice in PARAMETERS ? [parameterTitle(choice), baseName(option)]
            : [CHOICE_WORDS[choice].title, CHOICE_WORDS[choice].options[option]];
        this.change(withChoice(this.state, choice, option), told.choice(...words));
      },
      worth: (grade, input) => {
        const gain = input.valueAsNumber;
        if (!(gain >= 0 && gain <= 1e6)) return this.say("A gain is a number from 0 to 1000000.");
        const table = { ...this.state.convention.table, [grade]: gain };
        this.change(withChoice(this.state, "table", table), told.choice(`Gain of grade ${grade}`, gain), { same: `gain-of-${grade}` });
      },
      adopt: (wanted) => {
        const preset = LIBRARIES.find((library) => library.name === wanted);
        const { k, table } = this.state.convention;
        this.change({ ...this.state, convention: { ...DEFAULTS, ...choicesOf(preset), k, table } }, told.choice("Convention", wanted));
      },
    };
  }

  // ---- from one state to the next ----

  get state() {
    return this.history.state;
  }

  change(state, words, { same = null, focus = null } = {}) {
    this.history.change(state, same);
    this.show(words, focus);
  }

  step(by) {
    if (!this.history.step(by)) return this.say(by < 0 ? "There is nothing to undo." : "There is nothing to redo.");
    this.show(by < 0 ? "Undone." : "Redone.");
  }

  show(words = null, focus = null) {
    const { state } = this, before = this.shown;
    const result = evaluate(listOf(state), state.convention);
    const key = focus ?? this.shadowRoot.activeElement?.dataset.key;
    this.lists.show(state, result, documentsOf(state).length >= MOST_DOCUMENTS);
    for (const part of this.parts) part.show(state, result, this.presetOf(state.convention));
    enable(this.undo, this.history.canUndo);
    enable(this.redo, this.history.canRedo);
    for (const now of this.shadowRoot.querySelectorAll(".now-value")) text(now, `NDCG@${result.k} = ${value(result.ndcg, state.convention.empty)}`);
    if (key && this.shadowRoot.activeElement?.dataset.key !== key) this.shadowRoot.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
    if (words) this.say(`${words} ${resultWords(before, result)}`);
    this.shown = result;
    if (this.hasAttribute("address") && words) this.writeAddress();
    this.dispatchEvent(new CustomEvent("change", { detail: { state, dcg: result.dcg, idcg: result.idcg, ndcg: result.ndcg, k: result.k } }));
  }

  presetOf(convention) {
    const same = (preset) => Object.keys(choicesOf(preset)).every((choice) => preset[choice] === convention[choice]);
    const current = this.shadowRoot.querySelector('[data-key="preset"]').value;
    const fitting = LIBRARIES.filter(same);
    return (fitting.find(({ name }) => name === current) ?? fitting[0])?.name;
  }

  // Said after a short pause, so that quick steps do not talk over each other.
  say(words) {
    clearTimeout(this.saying);
    this.saying = setTimeout(() => {
      this.live.textContent = "";
      this.live.textContent = words.replace(/\bd(\d+)\b/g, (id, number) => this.titles[number - 1] || id);
    }, 150);
  }

  complain(error) {
    this.say(`The link could not be read: ${error.message}.`);
    this.frame.prepend(h("p", { class: "complaint" }, `The link could not be read: ${error.message}. Shown is the beginning.`));
  }

  key(event) {
    const letter = event.key.toLowerCase();
    if ((event.ctrlKey || event.metaKey) && !event.altKey && (letter === "z" || letter === "y")) {
      event.preventDefault();
      return this.step(letter === "y" || event.shiftKey ? 1 : -1);
    }
    const name = event.target.dataset?.drag;
    if (!name || event.ctrlKey || event.metaKey || event.altKey) return undefined;
    const { shift, takeOut, putBack, place } = this.acts();
    const isReturned = this.state.returned.some((document) => document.name === name);
    const act = isReturned
      ? {
        ArrowUp: () => shift(name, -1), ArrowDown: () => shift(name, 1), ArrowRight: () => takeOut(name), Delete: () => takeOut(name),
        Home: () => place(name, "returned", 0), End: () => place(name, "returned", this.state.returned.length - 1),
      }[event.key]
      : { ArrowLeft: () => putBack(name) }[event.key];
    if (!act) return undefined;
    event.preventDefault();
    return act();
  }

  // ---- address, copies, theme ----

  readsAddress() {
    return document.querySelector("ndcg-playground") === this;
  }

  link() {
    return location.href.split("#")[0] + toHash(this.state);
  }

  writeAddress() {
    try {
      history.replaceState(history.state, "", toHash(this.state));
    } catch { /* a page in a frame without an address of its own; the link can still be copied */ }
  }

  followAddress = () => {
    const linked = this.readsAddress() ? fromHash(location.hash) : null;
    if (linked instanceof Error) this.complain(linked);
    else if (linked && toHash(linked) !== toHash(this.state)) this.change(linked, "The list of the link.");
  };

  async copy(words) {
    this.copied.hidden = false;
    this.copied.value = words;
    let done = true;
    try {
      await navigator.clipboard.writeText(words);
    } catch {
      this.copied.select();
      done = document.execCommand("copy");
    }
    const told = done ? "Copied:" : "Select the text and copy it:";
    text(this.copyWords, told);
    this.say(done ? "Copied." : told);
  }
}

function choicesOf(convention) {
  return Object.fromEntries([...Object.keys(CHOICES), ...Object.keys(PARAMETERS)].map((choice) => [choice, convention[choice]]));
}

if (!customElements.get("ndcg-playground")) customElements.define("ndcg-playground", Playground);
