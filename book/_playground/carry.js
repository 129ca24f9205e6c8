// One figure through the book: it begins with the order that the reader made last with these grades, and shows the reader's own
// curve; its list is an address that plays.

import { h, push } from "./dom.js";
import { guessed, kept } from "./guesses.js";
import { fixed } from "./numbers.js";

export const gradesOf = (element, list) => list.map((id) => element.pages[id].grade);
const sorted = (list) => [...list].sort((a, b) => a - b).join();

// The pages in the order of these grades, or null where they are other pages, or where the figure asks for a curve.
function ordered(element, grades) {
  const left = [...element.example.list, ...element.example.missed];
  if (!grades || element.play === "curve" || sorted(grades) !== sorted(gradesOf(element, left))) return null;
  return grades.map((grade) => left.splice(left.findIndex((id) => element.pages[id].grade === grade), 1)[0]);
}

// The list to begin with: what the kept guess was about, else the order from before, else the page's own. A page that is about
// what is missed begins with its own, and so does a goal that is reached already.
export function beginning(element) {
  const { example } = element, about = element.guess === undefined ? null : ordered(element, guessed(`${element.key}-list`));
  const list = about ?? (example.missed.length ? null : ordered(element, kept()["book/order"]));
  return list && element.goalOf(list) > element.worth(list) ? { list, missed: [] } : example;
}

// The best that one move makes of a list, rounded down to what is asked for.
export function bestMove(list, worth) {
  const others = (i) => [...list.slice(0, i), ...list.slice(i + 1)];
  const all = list.flatMap((id, i) => list.map((_, to) => worth([...others(i).slice(0, to), id, ...others(i).slice(to)])));
  return Math.floor(100 * Math.max(...all) + 1e-9) / 100;
}

export function moved(list, [from, to]) {
  const left = list.filter((id) => id !== from);
  return [...left.slice(0, to), from, ...left.slice(to)];
}

export function carry(element) {
  const { figure, start, example } = element, curve = kept()["index/ten-leave"], last = ordered(element, kept()["book/order"]);
  if (curve && element.shows.includes("readers") && !element.play && curve.length === start.list.length) {
    figure.crowd.set({ guess: curve });
    figure.element.title = "Dashed: the curve of readers that you drew on the first page";
  }
  const own = start !== example, whose = element.getAttribute("whose"), other = own ? example : { list: last, missed: [] };
  const begin = (next) => {
    element.start = next;
    element.restart();
    carry(element);
    element.whose.querySelector("button")?.focus({ preventScroll: true });
  };
  element.whose.hidden = !whose;
  element.whose.replaceChildren(own ? `Your order from before: ${gradesOf(element, start.list).join(" ")}.` : `This is the list of ${whose}.`, " ", ...(last && String(other.list) !== String(start.list)
    ? [push(own ? `Take that of ${whose}` : `Take your order: ${gradesOf(element, last).join(" ")}`, () => begin(other), "carry", { class: "quiet" })] : []));
  const root = document.documentElement.dataset.content_root, grades = gradesOf(element, start.list);
  const sends = root !== undefined && element.measure === "ndcg" && !start.missed.length && !element.getAttribute("convention") && grades.length < 9 && grades.every((grade) => Number.isInteger(grade) && grade < 10);
  element.more.replaceChildren(...(sends ? [push("Send this list", async () => {
    const address = new URL(`${root}index.html#beat=${gradesOf(element, figure.list).join("")}${figure.k ? `@${figure.k}` : ""}`, location.href).href;
    const copied = await navigator.clipboard?.writeText(address).then(() => true, () => false);
    element.told.replaceChildren(copied ? "Copied: " : "The address: ", h("a", { href: address }, `my ranking scores ${fixed(figure.result.ndcg)}, beat it in one move`), ".");
  }, "send", { class: "quiet" })] : []));
}
