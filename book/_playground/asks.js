// What the boxes of a page ask: a guess that is kept until the page tells, a number to type, an order to restore, a line
// to find. Everything stands in the page already and can be read without this script.

import { h, push, text, whileHeld } from "./dom.js";
import { guessed, keep, numberIn } from "./guesses.js";

// A typed number is the written one if it is off by one in its last decimal from the third on; before that no neighbour passes.
export function isNumber(typed, written) {
  const decimals = /[.,](\d+)\D*$/.exec(written)?.[1].length ?? 0;
  return Math.abs(typed - numberIn(written)) <= (decimals ? (decimals > 2 ? 1.001 : 0.5005) * 10 ** -decimals : 1e-9);
}

// "0 to 1 by 0.05", "number", or words with commas between; several with names: "rank 2 = 0 to 3; rank 5 = 0 to 3".
export function readForm(form) {
  return form.split(";").map((part) => {
    const [name, rest] = part.includes("=") ? part.split("=").map((side) => side.trim()) : ["", part.trim()];
    const range = /^(\S+)\sto\s(\S+?)(?:\sby\s(\S+))?$/.exec(rest);
    if (range) {
      const [min, max, step] = range.slice(1).map((x) => numberIn(x ?? ""));
      return { name, kind: "range", min, max, step: step || (max - min) / 20 };
    }
    return rest === "number" ? { name, kind: "number" } : { name, kind: "words", words: rest.split(",").map((word) => word.trim()) };
  });
}

export const toldGuess = (said) => said.map(({ name, value }) => `${name ? `${name}: ` : ""}${value}`).join(", ");

class Guess extends HTMLElement {
  connectedCallback() {
    this.key = this.getAttribute("key");
    this.show();
  }

  show() {
    const said = guessed(this.key);
    if (said) {
      const again = push("Guess again", () => { keep(this.key, undefined); this.show(); this.querySelector("input, button").focus(); });
      this.replaceChildren(h("p", { class: "guess-kept", role: "status" }, "Your guess: ", h("b", {}, toldGuess(said)), ". It waits for you further down. ", again));
      return;
    }
    const parts = readForm(this.getAttribute("form"));
    const direct = parts.length === 1 && parts[0].kind === "words"; // one press answers
    const fields = parts.map((part) => field(part, () => this.answer(parts, fields), direct));
    const go = push("That is my guess", () => this.answer(parts, fields), null, { class: "guess-go" });
    this.replaceChildren(h("div", { class: "guess-form", role: "group", "aria-label": "Your guess" }, fields.map(({ element }) => element), direct ? null : go));
  }

  answer(parts, fields) {
    const said = fields.map(({ value }, i) => ({ name: parts[i].name, value: value() }));
    const open = fields.find((_, i) => said[i].value === null);
    if (open) return void open.element.querySelector("input, button").focus();
    keep(this.key, said);
    this.show();
    this.querySelector("button").focus({ preventScroll: true });
  }
}

function field({ name, kind, min, max, step, words }, answered, direct) {
  if (kind === "words") {
    let chosen = null;
    const buttons = words.map((word) => push(word, () => {
      chosen = word;
      for (const other of buttons) other.setAttribute("aria-pressed", String(other.textContent === word));
      if (direct) answered();
    }, null, { "aria-pressed": "false" }));
    return { element: h("div", { class: "guess-words", role: "group", "aria-label": name || null }, name ? `${name} ` : null, buttons), value: () => chosen };
  }
  const label = name || "Your guess";
  if (kind === "number") {
    const input = h("input", { inputmode: "decimal", size: 7, autocomplete: "off", onkeydown: (event) => event.key === "Enter" && answered() });
    return { element: h("label", {}, `${label} `, input), value: () => (Number.isNaN(numberIn(input.value)) ? null : input.value.trim()) };
  }
  const decimals = String(step).split(".")[1]?.length ?? 0, middle = min + Math.round((max - min) / 2 / step) * step;
  const shown = h("output", {}, middle.toFixed(decimals));
  const input = h("input", { type: "range", min, max, step, value: middle, oninput: () => text(shown, Number(input.value).toFixed(decimals)) });
  return { element: h("label", { class: "guess-range" }, h("span", {}, `${label} `), input, shown), value: () => Number(input.value).toFixed(decimals) };
}

class Guessed extends HTMLElement {
  connectedCallback() {
    this.line = h("p", { class: "guess-told", hidden: true });
    this.prepend(this.line);
    this.show();
    document.addEventListener("ndcg-guess", () => this.show());
  }

  show() {
    const said = guessed(this.getAttribute("key"));
    this.line.hidden = !said;
    if (said) this.line.replaceChildren("You guessed ", h("b", {}, toldGuess(said)), ".");
  }
}

// A table of which the reader sees one row at a time, and pulls a slider through them.
class Slider extends HTMLElement {
  connectedCallback() {
    const rows = [...this.querySelectorAll("tbody tr")], head = this.querySelector("thead th").textContent;
    if (!rows.length || this.range) return;
    const cells = (row) => [...row.cells].map((cell) => cell.textContent.trim());
    const names = [...this.querySelectorAll("thead th")].map((name) => name.textContent.trim());
    const show = () => {
      const at = Number(this.range.value);
      rows.forEach((row, i) => { row.hidden = i !== at; });
      this.range.setAttribute("aria-valuetext", cells(rows[at]).map((value, i) => `${names[i]} ${value}`).join(", "));
    };
    this.range = h("input", { type: "range", min: 0, max: rows.length - 1, value: 0, "aria-label": this.getAttribute("label") || head, oninput: show });
    this.prepend(h("label", { class: "guess-range" }, h("span", {}, `${this.getAttribute("label") || head} `), this.range));
    show();
  }
}

// ---- quizzes ----

const answered = (quiz, right) => quiz.dispatchEvent(new CustomEvent("ndcg-answer", { bubbles: true, detail: Boolean(right) }));

// The feedback of a case without the words in front of it, which name the number for readers without a script.
function feedbackOf(known, verdict) {
  const copy = known.cloneNode(true), value = copy.querySelector(".quiz-value"), first = value.parentNode;
  while (first.firstChild !== value) first.firstChild.remove();
  value.nextSibling.textContent = value.nextSibling.textContent.replace(/^[.:] ?/, "");
  value.replaceWith(h("strong", {}, verdict));
  return [...copy.childNodes];
}

function typed(quiz) {
  const key = quiz.querySelector(".quiz-answer.key");
  const cases = [...key.querySelectorAll(".quiz-case")].map((known) => ({ known, written: known.querySelector(".quiz-value").textContent, right: known.classList.contains("right") }));
  const input = h("input", { inputmode: "decimal", size: 8, autocomplete: "off" });
  const says = h("div", { class: "quiz-says", role: "status" });
  const check = (event) => {
    event.preventDefault();
    const number = numberIn(input.value);
    const far = ({ written }) => Math.abs(number - numberIn(written));
    const found = cases.filter(({ written }) => isNumber(number, written)).sort((one, other) => far(one) - far(other))[0];
    if (!Number.isNaN(number)) answered(quiz, found?.right);
    says.className = `quiz-says ${found?.right ? "right" : "wrong"}`;
    if (Number.isNaN(number)) says.replaceChildren("Type a number, such as 1.5.");
    else if (found) says.replaceChildren(...feedbackOf(found.known, found.right ? "Yes. " : "Not quite. "));
    else says.replaceChildren(h("strong", {}, "Not quite. "), "Go through the steps once more, or open the answer below.");
  };
  key.before(h("form", { class: "quiz-form", onsubmit: check }, h("label", {}, "Your answer ", input), h("button", {}, "Check")), says);
}

function ordered(quiz) {
  const list = quiz.querySelector(".quiz-order"), key = quiz.querySelector(".quiz-answer.key");
  let group = -1;
  const groups = new Map([...key.querySelectorAll("ol > li")].map((item) => [item.textContent.trim(), item.classList.contains("free") ? group : ++group]));
  const right = [...groups.values()], items = () => [...list.children];
  const words = new Map(items().map((item) => [item, item.textContent.trim()]));
  const says = h("div", { class: "quiz-says", role: "status" });
  const move = (item, to, from = null) => {
    const all = items(), at = all.indexOf(item);
    if (to < 0 || to >= all.length || to === at) return;
    list.insertBefore(item, to > at ? all[to].nextSibling : all[to]);
    says.textContent = "";
    says.className = "quiz-says";
    from?.focus({ preventScroll: true });
    if (from) says.textContent = `${words.get(item)}: place ${to + 1} of ${all.length}.`;
  };
  for (const item of items()) {
    const name = words.get(item);
    const nudge = (by, sign, way) => {
      const made = push(sign, () => move(item, items().indexOf(item) + by, made), null, { "aria-label": `Move ${way}: ${name}` });
      return made;
    };
    item.append(h("span", { class: "quiz-nudges" }, nudge(-1, "↑", "up"), nudge(1, "↓", "down")));
    item.addEventListener("pointerdown", (event) => {
      if (event.button || event.target.closest("button")) return;
      event.preventDefault();
      item.classList.add("held");
      const follow = ({ clientY }) => {
        const to = items().findIndex((other) => { const box = other.getBoundingClientRect(); return clientY < box.bottom; });
        move(item, to < 0 ? items().length - 1 : to);
      };
      whileHeld(follow, () => item.classList.remove("held"));
    });
  }
  const check = () => {
    const fits = items().filter((item, i) => groups.get(words.get(item)) === right[i]).length, all = right.length;
    answered(quiz, fits === all);
    says.className = `quiz-says ${fits === all ? "right" : "wrong"}`;
    says.replaceChildren(h("strong", {}, fits === all ? "Yes. " : "Not quite. "), ...(fits === all
      ? [...key.querySelectorAll(".quiz-feedback > :not(ol)")].map((node) => node.cloneNode(true))
      : [`${fits} of ${all} stand where they belong.`]));
  };
  list.after(push("Check", check, null, { class: "quiz-check" }), says);
}

function exhibit(box) {
  const lines = [...box.querySelectorAll(".quiz-answer")], all = lines.filter((line) => line.classList.contains("right")).length;
  const says = h("p", { class: "quiz-says", role: "status" });
  box.append(says);
  const tell = () => {
    const opened = lines.filter((line) => line.open), found = opened.filter((line) => line.classList.contains("right")).length;
    says.textContent = found === all ? `Found with ${opened.length} of ${lines.length} lines opened.` : all > 1 ? `${found} of ${all} found.` : "";
  };
  for (const line of lines) line.addEventListener("toggle", tell);
}

// A card of claims: the first verdict that is opened is the bet, and the score counts the bets that were won.
function bets(cards, score) {
  let played = 0, won = 0;
  for (const card of cards) {
    const stop = new AbortController();
    for (const verdict of card.querySelectorAll(".quiz-answer")) {
      verdict.addEventListener("toggle", () => {
        stop.abort();
        played++;
        won += verdict.classList.contains("right");
        card.classList.add("played");
        text(score, `${won} of ${played} bets won, ${cards.length - played} to go.`);
      }, { signal: stop.signal });
    }
  }
}

customElements.define("ndcg-slider", Slider);
customElements.define("ndcg-guess", Guess);
customElements.define("ndcg-guessed", Guessed);
for (const [kind, make] of Object.entries({ typed, ordered, exhibit })) for (const quiz of document.querySelectorAll(`.quiz.${kind}`)) make(quiz);
if (document.querySelector(".bet-score")) bets(document.querySelectorAll(".quiz.bet"), document.querySelector(".bet-score"));
