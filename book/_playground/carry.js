// One figure through the book: the order that was made last with these grades, the reader's own curve, and an address that plays.

import { h, push } from "./dom.js";
import { kept } from "./guesses.js";
import { fixed } from "./numbers.js";

export function carry(element) {
  const { figure, start } = element, grades = (list) => list.map((id) => element.pages[id].grade), sorted = (list) => [...list].sort((a, b) => a - b).join();
  const last = kept()["book/order"], curve = kept()["index/ten-leave"], own = element.getAttribute("guess") === null || element.guess !== undefined;
  if (curve && element.shows.includes("readers") && !element.play && curve.length === start.list.length) {
    figure.crowd.set({ guess: curve });
    figure.element.title = "Dashed: the curve of readers that you drew on the first page";
  }
  const bring = last && own && !element.play && sorted(last) === sorted(grades(start.list)) && last.join() !== grades(figure.list).join()
    ? push(`Your order from before: ${last.join(" ")}`, () => {
      const left = [...start.list];
      figure.set({ list: last.map((grade) => left.splice(left.findIndex((id) => element.pages[id].grade === grade), 1)[0]) });
      element.changed({ kind: "drop" });
    }, "carry", { class: "quiet" }) : null;
  const root = document.documentElement.dataset.content_root, sends = root !== undefined && element.measure === "ndcg" && !start.missed.length && !element.getAttribute("convention") && start.list.length < 9 && grades(start.list).every((grade) => Number.isInteger(grade) && grade < 10);
  const send = sends ? push("Send this list", async () => {
    const address = new URL(`${root}index.html#beat=${grades(figure.list).join("")}${figure.k ? `@${figure.k}` : ""}`, location.href).href;
    const copied = await navigator.clipboard?.writeText(address).then(() => true, () => false);
    element.told.replaceChildren(copied ? "Copied: " : "The address: ", h("a", { href: address }, `my ranking scores ${fixed(figure.result.ndcg)}, beat it in one move`), ".");
  }, "send", { class: "quiet" }) : null;
  element.more.replaceChildren(...[bring, send].filter(Boolean));
}
