// The body of a function, run in a page of each engine: drawn edits in its own storage, in one tab and in two, with that storage
// full, refused or cleared half-way. Gives, by case, whether something could not be kept for a time, and the letters lost at the end.
await until(() => document.documentElement.dataset.place === "yes");
const script = [...document.scripts].find(({ src }) => src.includes("place.mjs")).src;
const { Store } = await import(new URL("store.mjs", script));
let drawn = 7;
const below = (n) => (drawn = (Math.imul(drawn, 1103515245) + 12345) >>> 0) % n;
const inOrder = (long, short) => { let at = 0; for (const one of short.split("")) if (!(at = long.indexOf(one, at) + 1)) return false; return true; };
const fill = () => { for (let size = 1 << 22; size >= 1; size >>= 1) for (let i = 0; i < 8; i += 1) try { localStorage.setItem(`filler ${size} ${i}`, "x".repeat(size)); } catch { break; } };
const clearFiller = () => Object.keys(localStorage).filter((key) => key.startsWith("filler")).forEach((key) => localStorage.removeItem(key));
let refused = false;
const faults = { fine() {}, full: fill, refused() { refused = true; }, cleared(tabs) { localStorage.clear(); tabs.forEach((tab) => tab.heard(null, null)); } };
const table = {};
for (const [fault, act] of Object.entries(faults)) for (const many of [1, 2]) {
  const open = () => new Store(`engine ${fault} ${many}`, { storage: () => { if (refused) throw new DOMException("no", "SecurityError"); return localStorage; } });
  const tabs = Array.from({ length: many }, open), seen = [], said = new Set();
  tabs.forEach((tab) => tab.addEventListener("state", () => said.add(tab.state)));
  for (let i = 0; i < 120; i += 1) {
    if (i === 60) act(tabs);
    const tab = tabs[below(many)], task = `task_${below(3)}`, now = tab.get(task).text ?? "", at = below(now.length + 1);
    const text = [now.slice(0, at) + "wörd 😀\n".repeat(i > 60 ? 900 : 1) + now.slice(at), now.slice(0, at), now.slice(0, at) + now.slice(at + 2)][below(3)];
    tab.write(task, text, { of: String(i > 90), form: "code" });
    seen.push([task, text]);
  }
  const unsaved = tabs.some((tab) => tab.unsaved);
  if (unsaved && ![...said].some((state) => state !== "kept")) throw new Error(`${fault}: not said`);
  clearFiller();
  refused = false;
  tabs.forEach((tab) => tab.again()); // there is room again
  const last = open(), kept = last.tasks.flatMap((task) => [last.get(task).text ?? "", ...last.versions(task).map(({ text }) => text)]);
  table[`${fault} ${many}`] = [unsaved, seen.filter(([, text]) => !kept.some((long) => inOrder(long, text))).reduce((sum, [, text]) => sum + text.length, 0)];
}
return table;
