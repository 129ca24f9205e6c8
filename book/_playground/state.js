// What the playground shows, as plain values that never change in place; so undo is a list of them.

import { CHOICES, PARAMETERS } from "./choices.js";
import { optionsOf } from "./words.js";

export const DEFAULTS = {
  ...Object.fromEntries(Object.keys(CHOICES).map((choice) => [choice, optionsOf(choice)[0]])),
  ...Object.fromEntries(Object.entries(PARAMETERS).map(([name, { value }]) => [name, value])),
  table: {}, k: null,
};
export const MOST_DOCUMENTS = 40;
export const HIGHEST_GRADE = 100;

export function newState(grades, missed = [], choices = {}) {
  const documents = [...grades, ...missed].map((grade, i) => ({ name: `d${i + 1}`, grade }));
  return {
    returned: documents.slice(0, grades.length),
    missed: documents.slice(grades.length),
    tied: grades.map(() => false),
    convention: withTable({ ...DEFAULTS, ...choices }, documents),
  };
}

export function listOf(state) {
  return {
    names: state.returned.map((document) => document.name),
    grades: state.returned.map((document) => document.grade),
    tied: state.tied,
    missed: state.missed.map((document) => document.grade),
  };
}

// ---- what one can do ----

// Move the document `name` to a place in "returned" or "missed".
export function moved(state, name, to, place) {
  const next = { ...state, returned: [...state.returned], missed: [...state.missed], tied: [...state.tied] };
  const from = next.returned.some((document) => document.name === name) ? "returned" : "missed";
  const index = next[from].findIndex((document) => document.name === name);
  const [document] = next[from].splice(index, 1);
  if (from === to) { // equal scores belong to the ranks, and the documents move through them
    next[to].splice(place, 0, document);
    return next;
  }
  if (from === "returned") {
    if (index + 1 < next.tied.length) next.tied[index + 1] = next.tied[index] && next.tied[index + 1];
    next.tied.splice(index, 1);
    if (next.tied.length) next.tied[0] = false;
  } else {
    next.tied.splice(place, 0, place > 0 && Boolean(next.tied[place]));
  }
  next[to].splice(place, 0, document);
  return next;
}

export function graded(state, name, grade) {
  const change = (document) => (document.name === name ? { name, grade } : document);
  const next = { ...state, returned: state.returned.map(change), missed: state.missed.map(change) };
  return { ...next, convention: withTable(next.convention, documentsOf(next)) };
}

export function tiedWithAbove(state, place, tied) {
  return { ...state, tied: state.tied.map((was, i) => (i === place ? tied : was)) };
}

export function withChoice(state, choice, value) {
  return { ...state, convention: withTable({ ...state.convention, [choice]: value }, documentsOf(state)) };
}

export function added(state) {
  const names = new Set(documentsOf(state).map((document) => document.name));
  let number = 1;
  while (names.has(`d${number}`)) number++;
  const next = { ...state, missed: [...state.missed, { name: `d${number}`, grade: 0 }] };
  return { ...next, convention: withTable(next.convention, documentsOf(next)) };
}

export function withoutDocument(state, name) {
  return { ...state, missed: state.missed.filter((document) => document.name !== name) };
}

export function documentsOf(state) {
  return [...state.returned, ...state.missed];
}

// The gain table knows each grade that occurs; a new one begins with the grade itself.
function withTable(convention, documents) {
  const table = { ...convention.table };
  for (const { grade } of documents) table[grade] ??= grade;
  return { ...convention, table };
}

// ---- a state as the end of an address ----

const LETTERS = { gain: "g", discount: "d", base: "b", ideal: "i", k: "k", ties: "t", empty: "e" };
for (const name of [...Object.keys(CHOICES), ...Object.keys(PARAMETERS)]) LETTERS[name] ??= name; // of others, the name

export function toHash(state) {
  const { convention } = state;
  const write = (documents) => documents.map(({ name, grade }) => `${name.slice(1)}-${grade}`).join(",");
  const parts = [`r=${write(state.returned)}`];
  if (state.missed.length) parts.push(`m=${write(state.missed)}`);
  const ranks = state.tied.flatMap((tied, i) => (tied ? [i + 1] : []));
  if (ranks.length) parts.push(`s=${ranks.join(",")}`);
  for (const [choice, letter] of Object.entries(LETTERS)) {
    if (convention[choice] !== DEFAULTS[choice]) parts.push(`${letter}=${convention[choice]}`);
  }
  if (convention.gain === "table") {
    parts.push(`w=${Object.entries(convention.table).map(([grade, gain]) => `${grade}-${gain}`).join(",")}`);
  }
  return `#ndcg:${parts.join(";")}`;
}

// The state, or null where the address holds none, or an Error that says what is wrong with it.
export function fromHash(hash) {
  if (!hash.startsWith("#ndcg:")) return null;
  try {
    const text = decodeURIComponent(hash.slice("#ndcg:".length));
    const parts = Object.fromEntries(text.split(";").map((part) => part.split("=")));
    const returned = readDocuments(parts.r), missed = readDocuments(parts.m);
    const all = [...returned, ...missed];
    if (all.length > MOST_DOCUMENTS) throw new Error(`more than ${MOST_DOCUMENTS} documents`);
    if (new Set(all.map((document) => document.name)).size < all.length) throw new Error("a document stands there twice");
    const ties = (parts.s ?? "").split(",").map(Number);
    const convention = { ...DEFAULTS, table: readTable(parts.w) };
    for (const [choice, letter] of Object.entries(LETTERS)) {
      if (letter in parts) convention[choice] = readChoice(choice, parts[letter]);
    }
    return {
      returned, missed,
      tied: returned.map((_, i) => i > 0 && ties.includes(i + 1)),
      convention: withTable(convention, all),
    };
  } catch (error) {
    return error;
  }
}

function readDocuments(text) {
  return (text ? text.split(",") : []).map((entry) => {
    const [, number, grade] = /^(\d{1,4})-(.+)$/.exec(entry) ?? [];
    return { name: `d${Number(number)}`, grade: readNumber(grade, `document ${entry}`, 0, HIGHEST_GRADE) };
  });
}

function readTable(text) {
  const pairs = (text ? text.split(",") : []).map((entry) => /^([\d.e]+)-([\d.e-]+)$/.exec(entry) ?? []);
  return Object.fromEntries(pairs.map(([entry, grade, gain]) => [Number(grade), readNumber(gain, `gain ${entry}`, 0, 1e6)]));
}

function readChoice(choice, text) {
  if (choice in PARAMETERS) {
    const { above, below } = PARAMETERS[choice];
    return readNumber(text, choice, above + 1e-4, Math.min(below - 1e-4, 1000));
  }
  if (choice === "k") return Math.round(readNumber(text, "k", 1, 1000));
  const found = optionsOf(choice).find((value) => String(value) === text);
  if (found === undefined) throw new Error(`${choice} cannot be ${text}`);
  return found;
}

function readNumber(text, what, lowest, highest) {
  const number = text === undefined || text === "" ? NaN : Number(text);
  if (!(number >= lowest && number <= highest)) throw new Error(`${what} is not a number from ${lowest} to ${highest}`);
  return number;
}

// ---- undo ----

export class History {
  constructor(state) {
    this.states = [state];
    this.now = 0;
  }

  get state() {
    return this.states[this.now];
  }

  // `same` names a change of one thing in small steps (a grade being typed), which is undone as one.
  change(state, same = null) {
    const merge = same !== null && same === this.same && this.now > 0;
    this.states = [...this.states.slice(0, merge ? this.now : this.now + 1), state].slice(-200);
    this.now = this.states.length - 1;
    this.same = same;
  }

  step(by) {
    const to = this.now + by;
    if (to < 0 || to >= this.states.length) return false;
    this.now = to;
    this.same = null;
    return true;
  }

  get canUndo() {
    return this.now > 0;
  }

  get canRedo() {
    return this.now + 1 < this.states.length;
  }
}
