// What a teacher sees of grade.mjs: what came in, how far it is, the marks. Everything stays on this device.
import { Class, forget, keep, kept, keptLike, NAME } from "./grade.mjs";

const place = document.querySelector("ndcg-grade");
const make = (tag, attributes = {}, ...inside) => {
  const made = Object.assign(document.createElement(tag), attributes);
  made.append(...inside.filter((one) => one != null));
  return made;
};
const button = (words, press, more = {}) => make("button", { type: "button", className: "live-button", textContent: words, onclick: press, ...more });
const text = (bytes) => new TextDecoder().decode(bytes);
const several = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
const ONE_TAB = "This page is open in another tab, which has the class. Close that tab, or go on there.";
const STATE = ["run.json", "results.jsonl", "to-mark.csv", "changes.csv"]; // what a later run goes on from
const ROLES = { class: "what was handed in", course: "the course", marks: "marks by hand", worksheet: "Moodle's grading worksheet", list: "named in course.toml" };

const status = make("p", { className: "grade-status", role: "status" });
const bar = make("progress", { hidden: true, max: 1, value: 0 });
bar.setAttribute("aria-label", "Notebooks marked");
const say = (words, bad = false) => {
  status.textContent = words;
  status.classList.toggle("grade-wrong", bad);
};
let files = new Map(); // name: {data, role}
let running = null; // the class whose marks are shown, or are being made
let busy = false;

// ---- what came in

function roleOf(name, data) {
  if (name.endsWith("course.toml")) return "course";
  if (/\.csv$/i.test(name)) {
    const head = text(data.slice(0, 300)).replaceAll('"', "").toLowerCase();
    const course = [...files.values()].find((file) => file.role === "course");
    if (course && text(course.data).includes(name)) return "list";
    return /^\ufeff?student,task,mark/.test(head) ? "marks" : "worksheet";
  }
  return "class";
}

async function add(list) {
  const found = [];
  for (const [path, file] of list) found.push([path, new Uint8Array(await file.arrayBuffer())]);
  if (found.some(([path]) => !/(course\.toml|\.csv)$/i.test(path))) for (const [name, { role }] of files) if (role === "class") files.delete(name);
  for (const [path, data] of found.sort(([a]) => (a.endsWith("course.toml") ? -1 : 0))) {
    const plain = path.split("/").pop();
    const role = roleOf(plain, data);
    files.set(role === "class" ? path : plain, { data, role });
  }
  for (const [name, file] of files) if (file.role === "worksheet" && roleOf(name, file.data) === "list") file.role = "list";
  await keep("files", new Map(files));
  showFiles();
}

async function* below(entry, path = "") {
  if (entry.isFile) return yield [path + entry.name, await new Promise((resolve, reject) => entry.file(resolve, reject))];
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return;
    for (const one of some) yield* below(one, `${path}${entry.name}/`);
  }
}

async function dropped(event) {
  event.preventDefault();
  zone.classList.remove("grade-over");
  if (busy) return;
  const list = [];
  const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  for (const entry of entries) for await (const one of below(entry)) list.push(one);
  await add(list);
}

const chosen = (input) => add([...input.files].map((file) => [file.webkitRelativePath || file.name, file])).then(() => (input.value = ""));
const input = (label, more) => {
  const field = make("input", { type: "file", multiple: true, className: "grade-file", onchange: () => chosen(field), ...more });
  return make("label", { className: "live-button" }, label, field);
};
const list = make("ul", { className: "grade-files" });
const begin = button("Grade", () => grade(), { disabled: true });
const stop = button("Stop", () => halt(), { hidden: true });
stop.classList.add("live-stop");
const remove = button("Remove what is kept here", () => clear(), { hidden: true });
const zone = make("div", { className: "grade-zone", ondrop: dropped },
  make("p", {}, "Drop here the zip of Moodle or Canvas, or a folder; with it course.toml, and Moodle's grading worksheet."),
  make("p", { className: "live-bar" }, input("Choose files", { accept: ".zip,.ipynb,.toml,.csv" }), input("Choose a folder", { webkitdirectory: true })), list);
zone.ondragover = (event) => (event.preventDefault(), zone.classList.add("grade-over"));
zone.ondragleave = () => zone.classList.remove("grade-over");
const results = make("div", { className: "grade-results", hidden: true });

function showFiles() {
  const handed = [...files].filter(([, { role }]) => role === "class");
  const rest = [...files].filter(([, { role }]) => role !== "class");
  const shown = handed.length === 1 ? handed[0][0] : handed.length ? several(handed.length, "file") : "";
  list.replaceChildren(...[...(shown ? [[shown, { role: "class" }]] : []), ...rest].map(([name, { role }]) => make("li", {}, make("strong", { textContent: name }), `: ${ROLES[role]}`)));
  begin.disabled = !handed.length || busy;
  remove.hidden = !files.size || busy;
}

// ---- marking

const given = async (more = {}) => {
  const worksheet = [...files].find(([, { role }]) => role === "worksheet")?.[0];
  const marks = [...files].filter(([, { role }]) => role === "marks").map(([name]) => name);
  return { ...(worksheet && { worksheet }), ...(marks.length && { marks }), ...more };
};

async function put(all) {
  for (const [name, data] of Object.entries((await kept("state")) ?? {})) await all.ask("put", `marks/${name}`, data);
  const handed = [...files.keys()].filter((name) => files.get(name).role === "class");
  const top = handed.length > 1 && handed.every((name) => name.split("/")[0] === handed[0].split("/")[0] && name.includes("/")) ? handed[0].split("/")[0].length + 1 : 0;
  for (const [name, { data, role }] of files) await all.ask("put", role === "class" ? `handed-in/${name.slice(top)}` : name, data);
}

async function keepState(all, written) {
  const state = {};
  for (const name of STATE) if (written.includes(name)) state[name] = await all.ask("file", name);
  await keep("state", state);
}

const wrong = (error) => {
  const words = error.message.replace(/^([\w.]+\.)?\w*(Error|Asked): /, "").replaceAll("/class/", "").replace("Run the same command with --accept if they shall.", "");
  say(words, true);
  return /\bAsked: /.test(error.message);
};

async function grade(more = {}) {
  if (busy) return;
  running?.close();
  busy = true;
  results.hidden = true;
  let began = 0, before = 0;
  running = new Class(({ done, total, names }) => {
    began ||= performance.now() - 1;
    if (done === 0 || !bar.value) before = before || done;
    bar.hidden = false;
    Object.assign(bar, { value: done, max: Math.max(1, total) });
    const each = (performance.now() - began) / Math.max(1, done - before), left = Math.ceil(((total - done) * each) / 60_000);
    const soon = done - before > 3 ? `; about ${several(left, "minute")} left` : "";
    say(`${done} of ${total} marked${names.length ? `; now ${names.join(" and ")}` : ""}${done < total ? soon : ""}.`);
  });
  stop.hidden = false;
  say("Python is starting.");
  showFiles();
  try {
    await running.open();
    await put(running);
    const asked = await given(more);
    const known = await keptLike("result:");
    const all = await running.mark(asked, known, async (result, number) => keep(`result:${number}`, result), async () => keepState(running, ["run.json"]));
    if (!all) return say(`Stopped. What was marked is kept on this device: press Grade to go on.`);
    await finish(asked);
  } catch (error) {
    if (!running || running.stopped) say("Stopped. What was marked is kept on this device: press Grade to go on.");
    else if (wrong(error)) results.replaceChildren(button("Change these numbers", () => grade({ accept: true }))), (results.hidden = false);
    end();
  } finally {
    busy = false;
    stop.hidden = bar.hidden = true;
    if (running?.stopped) end();
    showFiles();
  }
}

async function finish(asked) {
  say("The marks are being written.");
  const told = await running.finish(asked);
  await keepState(running, told.files);
  await forget("result:"); // they stand in that
  showMarks(told);
}

function halt() {
  running?.halt ? running.halt() : ((running.stopped = true), end(), say("Stopped."));
}

function end() {
  running?.close();
  running = null;
}

async function clear() {
  await forget();
  end();
  files = new Map();
  results.hidden = true;
  showFiles();
  say("Nothing of the class is kept on this device now.");
}

// ---- marks

const NAMES = { "grades.csv": "grades.csv", "exports/moodle-feedback.zip": "Feedback for Moodle (zip)", "exports/moodle.csv": "Moodle's worksheet, filled in", "exports/canvas.csv": "Canvas (CSV)", "changes.csv": "changes.csv", "alike.csv": "alike.csv" };

async function save(name, words) {
  const data = await running.ask(...(name ? ["file", name] : ["whole"]));
  const link = make("a", { href: URL.createObjectURL(new Blob([data])), download: words });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function showMarks({ said, files: written, students, waiting }) {
  const view = make("iframe", { className: "grade-view", title: "A page of the marks" });
  const open = async (name) => {
    const page = text(await running.ask("file", name));
    // The page of hand marks has one script, and its own policy names it; the others have none, and a click in them is ours.
    view.setAttribute("sandbox", name === "to-mark.html" ? "allow-scripts allow-downloads" : "allow-same-origin");
    view.srcdoc = page;
    view.dataset.name = name;
    for (const one of pages.children) one.setAttribute("aria-pressed", String(one.dataset.name === name));
  };
  view.onload = () =>
    view.contentDocument?.addEventListener("click", (event) => {
      const link = event.target.closest("a[href]")?.getAttribute("href");
      if (!link || link.startsWith("#")) return;
      event.preventDefault();
      const name = decodeURIComponent(link);
      if (written.includes(name)) open(name);
      else if (/^https?:/.test(link)) window.open(link, "_blank", "noopener");
    });
  const shown = { "summary.html": "The class in numbers", "class.html": "To project", ...(written.includes("to-mark.html") && { "to-mark.html": "To mark by hand" }) };
  const pages = make("p", { className: "live-bar" }, ...Object.entries(shown).map(([name, words]) => {
    const one = button(words, () => open(name));
    one.dataset.name = name;
    return one;
  }));
  const downloads = make("p", { className: "live-bar" }, ...Object.keys(NAMES).filter((name) => written.includes(name)).map((name) => button(NAMES[name], () => save(name, name.split("/").pop()))), button("All of it (zip)", () => save("", "marks.zip")));
  results.replaceChildren(make("h2", { textContent: "Marks" }), downloads, ...said.map((line) => make("p", { textContent: line.replace(/, and give it with --worksheet \S+/, ", and drop it above, too") })), make("h2", { textContent: "Look at them" }), pages, view);
  results.hidden = false;
  say(`${several(students, "student")} marked.${waiting ? ` The answers of ${waiting} wait for you under “To mark by hand”.` : ""} The marks are kept on this device until you remove them.`);
  open("summary.html");
}

addEventListener("message", async ({ data, source }) => {
  const view = results.querySelector(".grade-view");
  if (!running || view?.dataset.name !== "to-mark.html" || source !== view.contentWindow || typeof data?.marks !== "string") return;
  const bytes = new TextEncoder().encode(data.marks);
  files.set("marks.csv", { data: bytes, role: "marks" });
  await keep("files", new Map(files));
  await running.ask("put", "marks.csv", bytes);
  await finish(await given()).catch(wrong);
});

// ---- one tab, and what was kept

async function open() {
  place.replaceChildren(zone, make("p", { className: "live-bar" }, begin, stop, remove), status, bar, results);
  files = (await kept("files")) ?? new Map();
  showFiles();
  const done = (await keptLike("result:")).length;
  if (files.size) say(`A class is kept on this device${done ? `, ${several(done, "result")} of it` : ""}: press Grade to go on, or remove it.`);
  place.dataset.ready = "";
}

if (navigator.locks) navigator.locks.request(NAME, { ifAvailable: true }, (lock) => (lock ? open().then(() => new Promise(() => {})) : say(ONE_TAB, true) ?? place.replaceChildren(status)));
else place.replaceChildren(status), say("Your browser keeps this page from working here: open the book with https, or on this machine with python3 kit.py serve.", true);
