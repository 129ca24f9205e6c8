// NDCG as one score moves past its neighbours: a staircase, and a handle that the reader drags. Without this script
// there is a table. The values come with the page, so that nothing is computed twice.

import { Figure, h, set, text } from "./dom.js";
import { fixed } from "./numbers.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const WIDTH = 600, HEIGHT = 220, LEFT = 46, RIGHT = 12, TOP = 14, BOTTOM = 30;

function svg(tag, attributes, ...children) {
  const element = document.createElementNS(NAMESPACE, tag);
  for (const [name, given] of Object.entries(attributes)) element.setAttribute(name, given);
  element.append(...children);
  return element;
}

class Staircase extends Figure {
  begin() {
    this.given = JSON.parse(this.getAttribute("given")); // title and score of the page that moves, the others, the values
    this.others = this.given.others.map(([title, score]) => ({ title, score })).sort((x, y) => x.score - y.score);
    this.low = this.others[0].score - 1;
    this.high = this.others.at(-1).score + 1;
    this.stand(h("div", { class: "frame" }));
    this.draw();
  }

  x(score) {
    return LEFT + ((WIDTH - LEFT - RIGHT) * (score - this.low)) / (this.high - this.low);
  }

  y(value) {
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value;
  }

  draw() {
    const edges = [this.low, ...this.others.map(({ score }) => score), this.high];
    const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" });
    for (const value of [0, 0.5, 1]) {
      picture.append(svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: this.y(value), y2: this.y(value) }));
      picture.append(svg("text", { x: LEFT - 8, y: this.y(value) + 5, "text-anchor": "end" }, value.toFixed(1)));
    }
    for (const { title, score } of this.others) picture.append(svg("line", { class: "neighbour", x1: this.x(score), x2: this.x(score), y1: TOP, y2: this.y(0) }, svg("title", {}, title)));
    this.given.values.forEach((value, i) => picture.append(svg("line", { class: "step", x1: this.x(edges[i]), x2: this.x(edges[i + 1]), y1: this.y(value), y2: this.y(value) })));
    this.dot = svg("circle", { r: 9 });
    picture.append(this.dot, svg("text", { x: LEFT, y: HEIGHT - 8 }, `score of ${this.given.title} →`));
    this.slider = h("input", { type: "range", min: this.low, max: this.high, step: 0.05, "aria-label": `Score of ${this.given.title}`, oninput: () => this.show() });
    this.slider.value = this.given.score;
    this.says = h("p", { class: "says", role: "status" });
    this.order = h("p", { class: "order" });
    this.frame.append(h("slot", { name: "question" }), picture, this.slider, this.says, this.order, h("details", {}, h("summary", {}, "The steps as a table"), h("slot")));
    this.show();
  }

  show() {
    const score = Number(this.slider.value);
    const below = this.others.filter((other) => other.score < score).length;
    const equal = this.others.find((other) => other.score === score);
    const value = this.given.values[below];
    this.dot.setAttribute("cx", this.x(score));
    this.dot.setAttribute("cy", this.y(equal ? (value + this.given.values[below + 1]) / 2 : value));
    const where = equal ? `as high as ${equal.title}: both orders count half` : `NDCG ${fixed(value)}`;
    set(this.slider, "aria-valuetext", `${score.toFixed(2)}, ${where}`);
    text(this.says, `Score ${score.toFixed(2)}: ${where}`);
    const titles = this.others.map(({ title }) => title);
    titles.splice(below, 0, this.given.title);
    text(this.order, titles.reverse().join(" · "));
  }
}

customElements.define("ndcg-staircase", Staircase);
