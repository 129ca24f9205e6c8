// Two towers of blocks: what this order collects (DCG), and what the best order would (IDCG). NDCG is the height of one
// in the other. Blocks are kept by page, so that they grow and slide to their new places.

import { h } from "./dom.js";
import { fixed } from "./numbers.js";
import { iconOf, marks } from "./pages.js";

export class Towers {
  constructor(pages) {
    this.pages = pages;
    this.yours = h("div", { class: "tower yours" });
    this.best = h("div", { class: "tower best" });
    this.vessel = h("div", { class: "vessel" });
    this.value = h("b", { class: "value" });
    this.level = h("div", { class: "level" }, this.value);
    this.yourFoot = h("div", { class: "foot c" });
    this.bestFoot = h("div", { class: "foot p" });
    this.well = h("div", { class: "well" }, this.vessel, this.yours, this.best, this.level);
    this.element = h("div", { class: "towers", role: "img" }, this.well, h("div", { class: "feet" }, this.yourFoot, this.bestFoot));
  }

  show(result, shows, scale) {
    this.element.hidden = !shows.has("towers");
    const ideal = shows.has("ideal"), ndcg = shows.has("ndcg"), hidden = shows.has("blind");
    this.stack(this.yours, result.terms, scale);
    this.stack(this.best, ideal ? result.best : [], scale);
    this.element.classList.toggle("has-ideal", ideal);
    this.element.classList.toggle("has-ndcg", ndcg);
    this.well.style.setProperty("--dcg", result.dcg / scale);
    this.well.style.setProperty("--idcg", result.idcg / scale);
    this.value.textContent = ndcg ? fixed(result.ndcg) : "";
    this.yourFoot.replaceChildren("DCG ", h("b", {}, fixed(result.dcg)));
    this.bestFoot.replaceChildren(...(ideal ? ["IDCG ", h("b", {}, fixed(result.idcg))] : []));
    const said = [`This order collects ${fixed(result.dcg)}.`, ideal ? `The best order collects ${fixed(result.idcg)}.` : "", ndcg ? `NDCG is ${fixed(result.ndcg)}.` : ""];
    this.element.setAttribute("aria-label", hidden ? "Two towers, their numbers hidden until you have found them." : `Two towers. ${said.join(" ")}`);
  }

  stack(tower, terms, scale) {
    const old = new Map([...tower.children].map((node) => [node.dataset.of, node]));
    let from = 0;
    for (const { id, grade, value } of terms) {
      let node = old.get(id);
      old.delete(id);
      if (!node) {
        node = h("div", { class: "block", "data-of": id }, h("span", { class: "icon" }), h("span", { class: "v" }));
        node.firstChild.innerHTML = iconOf(this.pages[id].title) || marks(grade);
        node.style.setProperty("--from", from);
        node.style.setProperty("--v", 0);
        tower.append(node);
        node.getBoundingClientRect(); // so that it grows from nothing
      }
      node.style.setProperty("--from", from);
      node.style.setProperty("--v", value / scale);
      node.classList.toggle("small", value / scale < 0.07);
      node.classList.toggle("slim", value / scale < 0.14); // lying down, it has no room for its picture
      node.classList.toggle("none", !value);
      node.lastChild.textContent = fixed(value, 2);
      from += value / scale;
    }
    for (const node of old.values()) node.remove();
  }

  fillInTurn(terms, arrival) {
    const at = new Map(terms.map(({ id }, i) => [id, i]));
    for (const node of this.yours.children) {
      node.animate([{ opacity: 0, translate: "0 -40px" }, { opacity: 1, translate: "0 0" }], { duration: 450, delay: arrival(at.get(node.dataset.of) ?? 0), fill: "backwards", easing: "ease-out" });
    }
  }
}
