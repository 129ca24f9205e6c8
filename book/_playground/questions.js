// The questions of a comparison as bars, sorted by how far B is ahead. The reader takes questions out and puts them back,
// watches the mean of those that are left, and tosses coins for them. Without this script there is a table.

import { Figure, h, push, set, text } from "./dom.js";
import { signed } from "./numbers.js";

const GAMES = 10000;

export const mean = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

// How often coins alone make a sum at least as far from 0. The same coins each time, so that a page can be talked about.
export function byLuck(leads, games = GAMES) {
  let state = 1, count = 0;
  const size = Math.abs(leads.reduce((sum, x) => sum + x, 0)) - 1e-9;
  for (let game = 0; game < games; game++) {
    let sum = 0;
    for (const lead of leads) {
      state = (Math.imul(state, 1664525) + 1013904223) | 0; // a generator whose high bits are good enough for coins
      sum += state < 0 ? lead : -lead;
    }
    if (Math.abs(sum) >= size) count++;
  }
  return count / games;
}

class Questions extends Figure {
  begin() {
    const given = this.getAttribute("differences").trim().split(/\s+/).map(Number);
    const texts = this.getAttribute("texts")?.split("; ") ?? [];
    this.bars = given.map((lead, i) => ({ lead, name: texts[i] ?? `Question ${i + 1}`, out: false })).sort((x, y) => x.lead - y.lead);
    this.stand(h("div", { class: "frame" }));
    this.draw();
  }

  draw() {
    const far = Math.max(...this.bars.map(({ lead }) => Math.abs(lead))) || 1;
    for (const [i, bar] of this.bars.entries()) {
      const half = h("i", { class: bar.lead < 0 ? "behind" : "ahead" });
      half.style.height = `${(50 * Math.abs(bar.lead)) / far}%`;
      bar.node = h("button", { type: "button", tabindex: i ? -1 : 0, onclick: () => this.turn(bar), onkeydown: (event) => this.walk(event, i), onpointerenter: () => this.read(bar), onfocus: () => this.read(bar) }, half);
    }
    this.face = h("p", { class: "face", hidden: !this.hasAttribute("texts") }, "Touch a bar to read its question.");
    this.says = h("p", { class: "says", role: "status" });
    this.coins = h("span", { class: "coins", role: "status" });
    this.line = h("div", { class: "mean", "aria-hidden": "true" });
    const ends = [push("Take out B’s best", () => this.take(-1)), push("Take out A’s best", () => this.take(0)), push("Put all back", () => this.all())];
    this.frame.append(
      h("slot", { name: "question" }),
      h("div", { class: "bars", role: "group", "aria-label": "The questions, from A’s best to B’s best. Arrow keys walk, Enter takes one out or puts it back." }, this.bars.map(({ node }) => node), this.line),
      h("div", { class: "ends", "aria-hidden": "true" }, h("span", {}, "← A ahead"), h("span", {}, "B ahead →")),
      this.face,
      this.says,
      h("div", { class: "turn" }, ends),
      h("div", { class: "turn" }, push("Toss 10,000 times", () => this.toss(), null, { class: "go" }), this.coins),
      h("details", {}, h("summary", {}, "All questions as a table"), h("slot")),
    );
    this.far = far;
    this.show();
  }

  read({ name, lead }) {
    text(this.face, `${name}: ${signed(lead)}`);
  }

  turn(bar) {
    bar.out = !bar.out;
    this.show();
  }

  take(end) {
    const left = this.bars.filter(({ out }) => !out);
    if (left.length > 1) this.turn(left.at(end));
  }

  all() {
    for (const bar of this.bars) bar.out = false;
    this.show();
  }

  walk(event, i) {
    const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: this.bars.length - 1 }[event.key];
    if (to === undefined || !this.bars[to]) return;
    event.preventDefault();
    this.bars[i].node.tabIndex = -1;
    this.bars[to].node.tabIndex = 0;
    this.bars[to].node.focus();
  }

  show() {
    const left = this.bars.filter(({ out }) => !out).map(({ lead }) => lead);
    for (const { node, lead, name, out } of this.bars) {
      set(node, "aria-label", `${name}: ${signed(lead)}${out ? ", taken out" : ""}`);
      set(node, "aria-pressed", String(out));
    }
    text(this.coins, "");
    const ahead = left.filter((x) => x > 0).length, behind = left.filter((x) => x < 0).length;
    this.line.hidden = !left.length;
    if (!left.length) return text(this.says, "All questions are out. Put some back.");
    this.line.style.bottom = `${50 + (50 * mean(left)) / this.far}%`;
    text(this.says, `${left.length} of ${this.bars.length} questions: B is ahead by ${signed(mean(left))} on average, on ${ahead} questions, and A on ${behind}.`);
  }

  toss() {
    const left = this.bars.filter(({ out }) => !out).map(({ lead }) => lead);
    if (left.length) text(this.coins, `In ${(100 * byLuck(left)).toFixed(0)} % of the games, coins alone make a lead as large.`);
  }
}

customElements.define("ndcg-questions", Questions);
