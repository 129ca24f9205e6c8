// <ndcg-ten>: the story of the first page. Between its tags stands what is read without JavaScript.

import { html } from "./bets.js";
import { Figure, calm, h, push, set } from "./dom.js";
import { FRIEND, listIn } from "./ending.js";
import { guessed, keep, keepAs } from "./guesses.js";
import { A, KETTLE } from "./pages.js";
import { Ranking } from "./ranking.js";
import { STEPS } from "./story.js";

const NAMES = [...STEPS.map(({ id }) => id), "shuffle", "drag", "hide", "beat", "own", "half"];
const ROUTE = [...STEPS, FRIEND];

class Ten extends Figure {
  connectedCallback() {
    super.connectedCallback();
    addEventListener("hashchange", this.follow);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener("hashchange", this.follow);
  }

  themed() {
    this.fig.crowd.draw();
  }

  begin() {
    this.fig = new Ranking({ pages: KETTLE, list: A, name: "your list", changed: (change) => {
      if (change.kind !== "pull" && this.fig.list.length === A.length) keepAs("book/order", this.fig.list.map((id) => KETTLE[id].grade));
      this.s.changed?.(change);
    } });
    this.s = {
      fig: this.fig, theirs: null, moved: () => this.onward("Next →"), said: (name) => guessed(`ten-${name}`), keep: (name, value) => keep(`ten-${name}`, value), ticked: () => this.tick(),
    };
    this.nav = h("ol", { class: "steps" });
    this.panel = h("section", { class: "panel", "aria-label": "The question" });
    this.view = h("div");
    this.below = h("div");
    this.then = h("section", { class: "then", "aria-label": "The answer" });
    const figure = h("section", { class: "figure", "aria-label": "The figure" }, this.view, this.fig.element, this.below);
    this.body = h("div", { class: "body" }, this.panel, figure, this.then);
    this.stand(h("div", { class: "frame story" }, h("nav", { "aria-label": "Steps" }, this.nav), this.body));
    this.go(Math.max(0, this.named()), false);
  }

  named() {
    this.s.theirs = listIn(location.hash);
    return this.s.theirs ? STEPS.length : STEPS.findIndex(({ id }) => `#${id}` === location.hash);
  }

  follow = () => {
    const to = location.hash ? this.named() : 0;
    if (to >= 0 && to !== this.at) this.go(to);
  };

  go(to, focus = true) {
    if (this.at !== undefined) ROUTE[this.at].leave?.(this.s);
    this.at = to;
    this.s.changed = null;
    this.fig.set({ missed: [], ideal: null, k: null });
    this.show({ enter: true });
    if (!focus) return;
    this.panel.querySelector("h2").focus({ preventScroll: true });
    if (this.getBoundingClientRect().top < 0 || innerWidth < 736) this.nav.scrollIntoView(); // a phone has no room for the title
  }

  show({ enter = false } = {}) {
    const { s } = this, step = ROUTE[this.at], guess = s.said(step.id);
    s.known = step.always || guess !== undefined;
    s.bet = {
      guess,
      answered: (value) => {
        s.keep(step.id, value);
        s.bet.guess = value;
        step.reveal?.(s);
        this.show();
        this.then.querySelector(".after").focus({ preventScroll: true });
        const { bottom } = this.then.getBoundingClientRect();
        if (bottom > innerHeight) this.then.scrollIntoView({ block: "end", behavior: calm() ? "auto" : "smooth" });
      },
    };
    this.body.dataset.step = step.id;
    this.body.classList.toggle("known", Boolean(s.known));
    this.body.classList.toggle("all", step.id === "end");
    if (enter) {
      this.view.replaceChildren(step.view?.(s) ?? "");
      this.fig.element.hidden = Boolean(step.view);
      this.below.replaceChildren(step.below?.(s) ?? "");
      step.enter?.(s);
    }
    const told = (words) => (typeof words === "function" ? words(s) : words);
    this.panel.replaceChildren(h("h2", { tabindex: -1 }, told(step.title)), html("div", "text", told(step.text)), step.ask(s) ?? "");
    const after = s.known && step.after ? html("div", "after", step.after(s)) : "";
    if (after) for (const [name, given] of Object.entries({ tabindex: -1, role: "group", "aria-label": "The answer" })) set(after, name, given);
    const to = (by) => () => { location.hash = STEPS[this.at + by].id; };
    const last = step.id === "end", alone = step === FRIEND, again = s.known && step.again && !calm();
    const onward = step.id === "hand" ? (s.said("hand") ? "To the end →" : "Skip to the end →") : s.known ? "Next →" : "Skip →";
    this.then.replaceChildren(after, h("div", { class: "turn" },
      this.at && !alone ? push("← Back", to(-1), "back", { class: "quiet" }) : null,
      last ? push("Start again, and forget my bets", () => this.forget(), "forget", { class: "quiet" })
        : alone ? null : push(onward, to(1), "next", { class: step.id === "hand" ? (s.said("hand") ? "go" : "quiet") : s.known ? "go" : "quiet" }),
      again ? push("Walk again", () => step.again(s), "walk", { class: "quiet" }) : null,
      s.known && !last && !alone ? this.more() : null));
    this.showNav();
  }

  // On a phone what was read and what is told elsewhere makes room; this brings it back.
  more() {
    const all = push("Show more", () => set(all, "aria-expanded", String(this.body.classList.toggle("all"))), "all", { class: "quiet more", "aria-expanded": "false" });
    return all;
  }

  // A task is done: the way on says so, without drawing the step anew.
  tick() {
    this.showNav();
    if (STEPS[this.at]?.id === "hand") this.onward("To the end →");
  }

  onward(words) {
    const next = this.then.querySelector("[data-key=next]");
    if (!next) return;
    next.textContent = words;
    next.className = "go";
  }

  showNav() {
    this.nav.replaceChildren(...STEPS.map(({ id, name }, i) => {
      const done = this.s.said(id) !== undefined || (id === "end" && this.s.said("hand") !== undefined) || (id === "play" && ["drag", "hide", "beat"].every((task) => this.s.said(task)));
      const link = h("a", { href: `#${id}`, "aria-current": i === this.at ? "step" : null, class: done ? "done" : null }, h("span", { class: "n" }, i + 1), h("span", { class: "name" }, name));
      return h("li", {}, link, done ? h("span", { class: "unseen" }, "done") : null);
    }));
  }

  forget() {
    for (const name of NAMES) this.s.keep(name, undefined);
    this.s.own = undefined;
    location.hash = STEPS[0].id;
  }
}

if (!customElements.get("ndcg-ten")) customElements.define("ndcg-ten", Ten);
