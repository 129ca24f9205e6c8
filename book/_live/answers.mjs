// The notebook that is handed in, made from the answers and read back, without asking the server: the page carries it.
//
// An answer is the text of a field; in the notebook it is the code of a cell. Both ways, exactly or not at all: code that a field
// cannot show stays code.

import { olderCells } from "./store.mjs";

const QUOTES = '"""';
const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
export const [BETWEEN, TOTAL] = [" · ", " → "]; // the terms of a sum, and the sum

// What is typed as a number: a comma is taken for a point.
export const plain = (text) => (/^[-+]?\d*,\d+$/.test(text.trim()) ? text.trim().replace(",", ".") : text.trim());
export const source = (cell) => [cell.source].flat().join("");

const begins = ({ given, starter }) => (given ? `${given}\n\n\n${starter}` : starter);

// The text that stands in the field of a task: the answer, or what the task begins with.
export function inField(task, { text, form }) {
  const code = form === "source" || (form === "code" && task.widget !== "code");
  if (text !== null && (form === task.widget || code)) return { text, form: code ? "source" : form };
  return { text: task.widget === "code" ? task.starter : "", form: task.widget };
}

// The answer alone, or with the term that is asked beside it; what else was typed, or typed in another way, is a comment.
function asNumbers({ beside, term }, text) {
  const [terms, sum] = text.includes(TOTAL) ? text.split(TOTAL) : ["", text], part = beside ? plain(terms.split(BETWEEN)[term ? term - 1 : 0] ?? "") : "";
  const value = !NUMBER.test(plain(sum)) ? "..." : NUMBER.test(part) ? `[${part}, ${plain(sum)}]` : plain(sum);
  return [value, `${value}  # ${terms}`].find((one) => value !== "..." && typedAs(one) === text) ?? `${value}  # typed: ${JSON.stringify(text)}`;
}

function typedAs(value) {
  const [, part, sum, alone, typed, terms] = value.match(/^(?:\[(\S+), (\S+)\]|(\S+))(?: {2}# typed: (".*")| {2}# (.*))?$/) ?? [];
  try {
    return typed ? JSON.parse(typed) : [terms ?? part, sum ?? alone].filter((one) => one !== undefined).join(TOTAL);
  } catch {
    return null; // a comment of somebody's own
  }
}

export function toSource(task, { text, form }) {
  const { id, widget, given } = task;
  if (text === null || (form !== widget && form !== "source")) return begins(task);
  if (form === "source") return text;
  if (widget === "code") return given ? `${given}\n\n\n${text}` : text;
  if (text === "") return `${id} = ...`;
  if (widget === "number") return `${id} = ${asNumbers(task, text)}`;
  if (widget === "choice") return `${id} = ${JSON.stringify(text)}`;
  if (widget !== "words") return `${id} = ${text}`;
  return text.includes(QUOTES) || /["\\]$/.test(text) || text.includes("\r") ? `${id} = ${JSON.stringify(text)}` : `${id} = r${QUOTES}\n${text}\n${QUOTES}`;
}

export function fromSource(task, code) {
  const { id, widget, given } = task, asSource = { text: code, form: "source" };
  if (code === begins(task)) return null; // nothing was written
  let text = null;
  try {
    const value = code.startsWith(`${id} = `) ? code.slice(id.length + 3) : null;
    if (widget === "code") text = !given ? code : code.startsWith(`${given}\n\n\n`) ? code.slice(given.length + 3) : null;
    else if (value === "...") text = "";
    else if (widget === "number") text = typedAs(value);
    else if (widget === "choice") text = task.options.includes(JSON.parse(value)) ? JSON.parse(value) : null;
    else if (widget !== "words") text = JSON.parse(value) && value;
    else text = value.startsWith(`r${QUOTES}\n`) && value.endsWith(`\n${QUOTES}`) ? value.slice(5, -4) : JSON.parse(value);
  } catch { /* code of its own */ }
  const found = { text, form: widget };
  return typeof text === "string" && toSource(task, found) === code ? found : asSource; // else a letter would be lost
}

// The cells that were given, the answers, and the cells that were added elsewhere, where they stood.
export function notebookOf({ notebook, tasks }, answer, student, extras = []) {
  const made = structuredClone(notebook), by = new Map(tasks.map((task) => [task.cell, task]));
  for (const cell of made.cells) {
    const task = by.get(cell.id), lines = source(cell).replace(/^student_id = .*$/m, () => `student_id = ${JSON.stringify(student)}`);
    const { metadata, ...head } = task ? answer(task) : {};
    cell.source = (task ? toSource(task, head) : lines).split(/(?<=\n)/);
    if (metadata) cell.metadata = { ...cell.metadata, ndcg: metadata };
  }
  for (const { after, cell } of extras) made.cells.splice(made.cells.findIndex(({ id }) => id === after) + 1, 0, cell);
  return `${JSON.stringify(made, null, 1)}\n`;
}

const gradeId = (cell) => cell.metadata?.nbgrader?.grade_id;
const assigned = (cell) => [...source(cell).matchAll(/^(?:def (\w+)|(\w+)[ \t]*=(?!=))/gm)].map(([, one, other]) => one ?? other);

// A cell is known by its id, else by nbgrader's name for it, else by the name that it assigns, as the grader knows it: Colab,
// nbstripout and jupytext drop or renumber ids.
function sameAs(given, cells, name) {
  const mark = gradeId(given);
  return cells.find(({ id }) => id === given.id) ?? cells.find((one) => mark && gradeId(one) === mark)
    ?? cells.findLast((one) => one.cell_type === "code" && assigned(one).includes(name));
}

// What a notebook holds: answers by task, the student, and cells that the page has no field for, which are put back when it is saved.
export function readNotebook(text, { notebook, tasks }) {
  let cells;
  try {
    cells = JSON.parse(text).cells.map((cell) => ({ ...cell, source: source(cell) }));
  } catch {
    throw new Error("This file is not a notebook.");
  }
  const answers = new Map(), extras = [], known = new Map();
  for (const given of notebook.cells) {
    const task = tasks.find(({ cell }) => cell === given.id), name = task?.id ?? (/^student_id = /m.test(source(given)) ? "student_id" : null);
    const cell = sameAs(given, cells, name);
    if (cell) known.set(cell, given);
    if (cell && task) answers.set(task, { ...fromSource(task, cell.source), metadata: cell.metadata?.ndcg });
  }
  if (!answers.size) throw new Error("This is the notebook of another assignment.");
  let student = null, after = notebook.cells[0].id;
  for (const cell of cells) {
    const given = known.get(cell), named = cell.source.match(/^student_id = (["'])(.*)\1/m), rest = (code) => code.replace(/^student_id = .*$/m, "");
    const answer = tasks.some((task) => given && task.cell === given.id);
    if (named) student = named[2];
    if (!answer && cell.source.trim() && !(given && rest(source(given)) === rest(cell.source))) {
      const id = given || !cell.id ? `yours-${extras.length + 1}` : cell.id;
      extras.push({ after, cell: { ...cell, id, source: cell.source.split(/(?<=\n)/), ...(cell.cell_type === "code" && { outputs: [], execution_count: null }) } });
      after = id;
    }
    if (given) after = given.id;
  }
  return { answers, extras, student };
}

// The answers among what was kept by the number of a cell.
export function older(page, { tasks }, storage = localStorage) {
  return olderCells(page, storage).map(({ of, code }) => {
    const names = assigned({ source: of }), task = tasks.findLast(({ id }) => names.includes(id));
    return { task, same: task && of === begins(task), code, ...(task && fromSource(task, code)) };
  });
}
