// Every sentence and label of the playground, in one place.

import { fixed, value } from "./numbers.js";

export const CHOICE_WORDS = {
  gain: {
    title: "Gain: what a grade is worth",
    options: { linear: "the grade", exponential: "2^grade − 1", binary: "1 if above 0", table: "a table" },
  },
  discount: {
    title: "Discount: what a rank is worth",
    options: { modern: "1 / log(i + 1)", original: "1 / max(1, log i)", reciprocal: "1 / i", none: "none" },
  },
  ideal: {
    title: "Ideal list: taken from",
    options: { judged: "all judged", returned: "the returned list" },
  },
  empty: {
    title: "If no document has a gain",
    options: { 0: "0", 1: "1", skip: "leave out", raise: "an error" },
  },
  ties: {
    title: "Equal scores",
    options: {
      average: "mean over all orders", order: "in the order shown", reverse: "in reverse order", best: "best first",
      worst: "worst first", id: "by name, ascending", "id-descending": "by name, descending",
    },
  },
};

export function optionsOf(choice) {
  return Object.keys(CHOICE_WORDS[choice].options).map((option) => (isNaN(option) ? option : Number(option)));
}

export const BASES = [[2, "2"], [Math.E, "e"], [3, "3"], [5, "5"], [10, "10"]];

export function resultWords(before, after) {
  const now = `NDCG at ${after.k} is ${value(after.ndcg)}`;
  if (!before || Number.isNaN(before.ndcg) || Number.isNaN(after.ndcg)) return `${now}.`;
  const change = after.ndcg - before.ndcg;
  if (Math.abs(change) < 0.0005) return `${now}, as before.`;
  return `${now}, ${change > 0 ? "up" : "down"} by ${fixed(Math.abs(change))}.`;
}

export const told = {
  moved: (name, place, count) => `${name} is now at rank ${place} of ${count}.`,
  returned: (name, place, count) => `${name} is now returned, at rank ${place} of ${count}.`,
  missed: (name) => `${name} is now judged, but not returned.`,
  grade: (name, grade) => `${name} now has the grade ${grade}.`,
  tied: (upper, lower, same) => `${upper} and ${lower} now have ${same ? "equal scores" : "different scores"}.`,
  choice: (title, option) => `${title}: ${option}.`,
  added: (name) => `${name} was added to the documents that were not returned, with the grade 0.`,
  removed: (name) => `${name} was removed.`,
  end: "It cannot move further.",
  dropped: "Nothing was moved.",
};

// How a library's convention differs from the textbook's, in few words; only what can matter for this list.
export function differences(convention, hasTies, isEmpty) {
  const words = [];
  if (convention.gain !== "linear") words.push(`gain ${CHOICE_WORDS.gain.options[convention.gain]}`);
  if (convention.discount !== "modern") words.push(`discount ${CHOICE_WORDS.discount.options[convention.discount]}`);
  if (convention.ideal !== "judged") words.push("ideal from the returned list");
  if (hasTies) words.push(`equal scores ${CHOICE_WORDS.ties.options[convention.ties]}`.replace("scores mean", "scores: mean"));
  if (isEmpty) words.push(`nothing relevant: ${CHOICE_WORDS.empty.options[convention.empty]}`);
  return words.join("; ");
}
