// ?watch: how long a reader stays on each page, kept on this device alone and shown as a table to copy. progress.js loads
// it where an address asks for it, and on each page after that until it is stopped. teaching/five-strangers.md is its use.
(() => {
  const STORE = "ndcg-watch", IDLE = 180; // seconds after which nobody is counted as reading
  const MARKS = { "ten-hand": "worked one out by hand", "recall:done": "finished the core", name: "signed the verdict" };
  const { page, title } = window.ndcgPage, estimated = /about (\d+) minutes/i.exec(document.querySelector(".estimated, .path-place p")?.textContent)?.[1] ?? "";
  const read = () => {
    try {
      return JSON.parse(localStorage.getItem(STORE)) ?? {};
    } catch {
      return {};
    }
  };
  const make = (tag, given, ...inside) => {
    const made = Object.assign(document.createElement(tag), given);
    made.append(...inside);
    return made;
  };
  let active = Date.now(), stopped = false, held = { title, estimated, seconds: 0, marks: {}, ...read()[page] };
  const keep = (first) => {
    try {
      if (stopped || (first !== true && !localStorage.getItem(STORE))) return; // forgotten meanwhile
      localStorage.setItem(STORE, JSON.stringify({ ...read(), [page]: held }));
    } catch { /* then it lasts as long as the page */ }
  };
  const minutes = (seconds) => (seconds / 60).toFixed(1);
  const all = () => Object.values({ ...read(), [page]: held });
  const rows = () => [["page", "estimated", "minutes", "what was done, after how long"], ...all().map(({ title, estimated, seconds, marks }) =>
    [title, String(estimated), minutes(seconds), Object.entries(marks).map(([words, after]) => `${words}: ${after < 100 ? `${Math.round(after)} s` : `${minutes(after)} min`}`).join("; ")]),
  ["all pages", "", minutes(all().reduce((sum, { seconds }) => sum + seconds, 0)), ""]];
  const summary = make("summary"), table = make("div", { className: "watch-table" }), said = make("span", { role: "status" });
  const show = () => {
    summary.textContent = `Watched: ${minutes(held.seconds)} min on this page`;
    if (!panel.open) return;
    const [head, ...body] = rows(), row = (cells, of) => make("tr", {}, ...cells.map((cell) => make(of, { textContent: cell })));
    table.replaceChildren(make("table", {}, make("thead", {}, row(head, "th")), make("tbody", {}, ...body.map((cells) => row(cells, "td")))));
  };
  const mark = (words) => {
    if (words in held.marks) return;
    held.marks[words] = held.seconds;
    keep();
    show();
  };
  const copy = async () => {
    const words = rows().map((row) => row.join("\t")).join("\n");
    try {
      await navigator.clipboard.writeText(words);
      said.textContent = " Copied.";
    } catch {
      getSelection().selectAllChildren(table);
      said.textContent = " Marked: copy it with your keyboard.";
    }
  };
  const stop = () => {
    stopped = true;
    localStorage.removeItem(STORE);
    panel.remove();
  };
  const press = (words, onclick) => make("button", { type: "button", className: "live-button", textContent: words, onclick });
  const panel = make("details", { className: "watch", ontoggle: show }, summary,
    make("p", { textContent: "The minutes in which this page is in view and somebody moves, types or scrolls. They stay on this device until you copy them." }),
    table, make("p", {}, press("Copy the table", copy), " ", press("Stop, and forget it", stop), said));
  document.body.append(panel);
  for (const kind of ["pointermove", "pointerdown", "keydown", "scroll", "touchmove"]) addEventListener(kind, () => { active = Date.now(); }, { passive: true, capture: true });
  document.addEventListener("ndcg-guess", ({ detail: { name, value } }) => value && name in MARKS && mark(MARKS[name]));
  document.addEventListener("ndcg-moved", () => mark("moved a card"));
  let last = performance.now(), ticks = 0;
  setInterval(() => {
    const now = performance.now(), gone = (now - last) / 1000;
    last = now;
    if (document.visibilityState !== "visible" || Date.now() - active > 1000 * IDLE || gone > 5) return; // a machine that slept was not read
    held.seconds += gone;
    if (++ticks % 20 === 0) keep();
    if (ticks % 4 === 0) show();
  }, 250);
  addEventListener("pagehide", keep);
  keep(true);
  show();
})();
