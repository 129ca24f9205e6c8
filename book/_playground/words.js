// Every sentence and label of the playground that is not in the table of choices.

import { CHOICES, PARAMETERS } from "./choices.js";
import { baseName, fixed, value } from "./numbers.js";

export const CHOICE_WORDS = Object.fromEntries(Object.entries(CHOICES).map(([choice, { title, options }]) => [
  choice, { title, options: Object.fromEntries(Object.entries(options).map(([key, { label }]) => [key, label])) },
]));
CHOICE_WORDS.gain.options.table = "a table";

export function optionsOf(choice) {
  return Object.keys(CHOICE_WORDS[choice].options).map((option) => (isNaN(option) ? option : Number(option)));
}

// The parameters that the chosen gain and discount take.
export function parametersOf(convention) {
  return Object.keys(PARAMETERS).filter((name) => [CHOICES.gain, CHOICES.discount].some(({ options }, i) =>
    options[convention[i ? "discount" : "gain"]]?.parameters.includes(name)));
}

export function parameterTitle(name) {
  const { label } = PARAMETERS[name];
  return label[0].toUpperCase() + label.slice(1);
}

// What stands in the braces of a text of the table.
export function blanks(convention, more = {}) {
  const values = Object.fromEntries(Object.keys(PARAMETERS).map((name) => [name, baseName(convention[name])]));
  return { ...values, log: values.base === "e" ? "ln" : `log${values.base}`, ...more };
}

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
