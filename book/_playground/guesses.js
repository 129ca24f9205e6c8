// What the reader guessed, by page and name, kept on this machine alone: the same store for boxes, figures and the story.

const OLD = "ndcg-guesses"; // until November 2026 the books of a host shared it
const named = () => `${OLD} ${new URL(document.documentElement.dataset.content_root ?? "./", location.href).pathname}`;
const unsaved = {}; // where the browser keeps nothing, as in a private window, guesses last as long as the page

export const kept = () => {
  try {
    return { ...unsaved, ...JSON.parse(localStorage.getItem(named()) ?? localStorage.getItem(OLD)) };
  } catch {
    return unsaved;
  }
};
const onPage = (name) => `${location.pathname.split("/").pop().replace(/\.html$/, "") || "index"}/${name}`;

export function guessed(name) {
  return kept()[onPage(name)];
}

export function keepAs(name, value) {
  const next = { ...kept(), [name]: value };
  if (value === undefined) delete next[name];
  Object.assign(unsaved, next);
  if (value === undefined) delete unsaved[name];
  try {
    localStorage.setItem(named(), JSON.stringify(next));
  } catch { /* kept in `unsaved` */ }
}

export function keep(name, value) {
  keepAs(onPage(name), value);
  document.dispatchEvent(new CustomEvent("ndcg-guess", { detail: { name, value } }));
}

// A number as people type it: with a comma, a real minus sign, a space between thousands; NaN for none.
export function numberIn(words) {
  const found = /-?\d[\d\s]*(?:[.,]\d+)?|-?[.,]\d+/.exec(words.replace(/[−–]/g, "-"));
  return found ? Number(found[0].replace(/\s/g, "").replace(",", ".")) : NaN;
}
