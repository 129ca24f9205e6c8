// On every page: has the browser keep the book for the time without a network. On the page about that: what is kept, a
// button that keeps Python as well, one that forgets everything.
const SHELF = "ndcg-pages";
const LOCAL = /^(localhost|127\.|\[::1\])/; // there the network cannot be away, and the address may be another book's tomorrow
const book = new URL(document.documentElement.dataset.content_root ?? "./", location.href).href;
const refused = "ndcg:keep-nothing"; // python.mjs heeds it as well
const MOMENT = 3000; // milliseconds: WebKit stays for ever with a worker whose page was left while it was being registered
const remembered = (name) => {
  try {
    return localStorage.getItem(name);
  } catch {
    return null; // private windows may refuse
  }
};
const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));
let leave = new AbortController(); // aborted when the reader wants nothing kept, in this tab
const unwanted = () => leave.signal.aborted || Boolean(remembered(refused)); // or in another one
const heed = () => {
  if (unwanted()) throw new Error("what was kept is being removed");
};
const possible = Boolean(navigator.serviceWorker && globalThis.caches) && !LOCAL.test(location.hostname);

async function list() {
  const answer = await fetch(new URL("offline.json", book), { cache: "no-cache" });
  if (!answer.ok) throw new Error("the server has no offline.json");
  return answer.json();
}

// What a shelf has of a file. To open a shelf would make it, also where it was removed a moment ago.
const onShelf = (name, cacheName = SHELF) => caches.match(new URL(name, book), { cacheName });

// What is missing on the shelf, or has changed since it was put there.
async function missing(files) {
  const shelf = await caches.open(SHELF);
  const kept = await shelf.match(new URL("offline.json", book)).then((old) => old?.json().catch(() => null));
  const there = new Set((await shelf.keys()).map(({ url }) => url));
  return Object.keys(files).filter((name) => kept?.files?.[name] !== files[name] || !there.has(new URL(name, book).href));
}

async function putAll(shelf, names, told = () => {}) {
  const todo = [...names];
  const lost = [];
  const one = async () => {
    for (let name = todo.shift(); name; name = todo.shift()) {
      while (document.documentElement.dataset.python === "starting") await pause(200); // the reader waits for that
      heed();
      const answer = await fetch(new URL(name, book), { cache: "no-cache", signal: leave.signal }).catch(() => null);
      if (!answer?.ok) lost.push(name);
      else {
        const whole = await answer.blob().catch(() => null); // a connection that breaks leaves no half of a file
        if (whole && !unwanted()) await shelf.put(new URL(name, book), new Response(whole, { headers: answer.headers }));
        else lost.push(name);
      }
      told(name);
    }
  };
  const ends = await Promise.allSettled([one(), one(), one(), one()]); // none goes on putting after the others have failed
  for (const { reason } of ends) if (reason) throw reason;
  if (lost.length) throw new Error(`${lost.length} files did not come; press the button again to go on`);
}

let keeping = null; // one at a time: the page itself begins, and the button may be pressed meanwhile
function keepPages() {
  keeping ??= fetchPages().finally(() => (keeping = null));
  return keeping;
}

async function fetchPages() {
  for (const old of await navigator.serviceWorker.getRegistrations()) {
    if (old.scope.startsWith(book) && old.scope !== book && !old.scope.startsWith(`${book}lite/`)) await old.unregister();
  }
  await navigator.serviceWorker.register(new URL("offline.js", book), { scope: book });
  await navigator.serviceWorker.ready;
  const now = await list();
  heed();
  const shelf = await caches.open(SHELF);
  const names = await missing(now.files);
  if (!names.length) return now;
  await putAll(shelf, names);
  for (const { url } of await shelf.keys()) {
    const name = url.slice(book.length);
    const current = name in now.files || name === "offline.json" || now.python?.scripts.includes(name);
    if (url.startsWith(book) && !current) await shelf.delete(url);
  }
  heed();
  await shelf.put(new URL("offline.json", book), new Response(JSON.stringify(now)));
  return now;
}

async function keptOf(part) {
  if (!part) return false;
  const there = await Promise.all(Object.keys(part.files).map((name) => onShelf(name, part.shelf)));
  return there.every(Boolean);
}

async function forget() {
  leave.abort();
  await keeping?.catch(() => null); // or it would put back what is taken away here
  for (const name of await caches.keys()) if (/^ndcg-(pages$|python-|jupyter-)/.test(name)) await caches.delete(name);
  for (const worker of await navigator.serviceWorker.getRegistrations()) if (worker.scope === book) await worker.unregister();
  leave = new AbortController();
}

// Removed in another tab: what this one was just keeping goes, too.
addEventListener("storage", ({ key, newValue }) => key === refused && newValue && possible && forget());

// ---- the page about reading without a network ----

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(bytes < 1e6 ? 1 : 0)} MB`;

class Keeper {
  constructor(box) {
    this.box = box;
    this.status = box.querySelector(".keep-status");
    this.progress = box.querySelector("progress");
    this.keep = box.querySelector(".keep-all");
    this.remove = box.querySelector(".keep-none");
    this.pages = box.querySelector(".keep-pages");
    this.keep.addEventListener("click", () => {
      this.fetching ??= this.everything().finally(() => (this.fetching = null));
    });
    this.remove.addEventListener("click", () => this.nothing());
    const wanted = new URLSearchParams(location.search).get("wanted");
    if (wanted !== null) this.box.before(this.absent(wanted));
  }

  absent(wanted) {
    const words = document.createElement("p");
    words.className = "keep-absent";
    words.setAttribute("role", "alert");
    words.textContent = "There is no network now, and the page that you asked for is not kept. ";
    const again = document.createElement("a");
    again.href = new URL(wanted, book).href.startsWith(book) ? new URL(wanted, book).href : book;
    again.textContent = "Try it again";
    words.append(again, " when you are connected, or read one of the pages below.");
    return words;
  }

  async show(words) {
    const old = await onShelf("offline.json");
    const now = old ? await old.json() : await list().catch(() => null);
    const titles = Object.entries(now?.titles ?? {});
    const there = await Promise.all(titles.map(([name]) => onShelf(name)));
    const kept = titles.filter((title, number) => there[number]);
    const python = now && (await keptOf(now.python));
    const jupyter = now && (await keptOf(now.jupyter));
    this.now = now;
    this.pages.replaceChildren(
      ...kept.map(([name, title]) => {
        const item = document.createElement("li");
        item.append(Object.assign(document.createElement("a"), { href: new URL(name, book).href, textContent: title }));
        return item;
      }),
    );
    if (now?.python) this.keep.textContent = `Keep the whole book, Python and notebooks included (${megabytes(now.size + now.python.size + now.jupyter.size)})`;
    this.keep.hidden = !now?.python || (python && jupyter);
    this.remove.hidden = !kept.length && !python;
    this.progress.hidden = true;
    this.status.textContent =
      words ?? (kept.length ? `${kept.length} pages are kept here${python ? `, and Python${jupyter ? " and the notebooks" : ""} with them` : ""}.` : "Nothing is kept here yet.");
  }

  async everything() {
    this.asked = true;
    this.remember(null);
    try {
      this.status.textContent = "Fetching the pages.";
      const now = await keepPages();
      await putAll(await caches.open(SHELF), now.python.scripts);
      await this.fetchPart("Python", now.python);
      await this.fetchPart("the notebooks", now.jupyter);
      await navigator.serviceWorker.register(new URL("lite/service-worker.js?enableCache=false", book));
      for (const name of await caches.keys()) {
        if (name.startsWith("ndcg-jupyter-") && name !== now.jupyter.shelf) await caches.delete(name);
      }
      await this.show("The whole book is kept here, Python and notebooks included. It works without a network now.");
    } catch (error) {
      if (!unwanted()) await this.show(`Not all of it is here: ${error.message}.`);
    }
  }

  async fetchPart(what, { shelf, files, size }) {
    const place = await caches.open(shelf);
    const there = new Set((await place.keys()).map(({ url }) => url));
    const names = Object.keys(files).filter((name) => !there.has(new URL(name, book).href));
    let done = size - names.reduce((sum, name) => sum + files[name], 0);
    const told = (name) => {
      done += name ? files[name] : 0;
      Object.assign(this.progress, { hidden: false, max: size, value: done });
      this.status.textContent = `Fetching ${what}: ${megabytes(done)} of ${megabytes(size)}.`;
    };
    told();
    await putAll(place, names, told);
  }

  async nothing() {
    this.asked = true;
    this.remember("yes"); // first, so that other tabs stop keeping
    this.status.textContent = "Removing what is kept.";
    leave.abort();
    await this.fetching;
    await forget();
    await this.show("Everything is removed. Nothing more is kept until you press the button.");
  }

  remember(value) {
    try {
      if (value) localStorage.setItem(refused, value);
      else localStorage.removeItem(refused);
    } catch {
      // then it is asked again
    }
  }
}

async function begin() {
  const box = document.querySelector(".keep-book");
  if (!possible) {
    if (box) box.querySelector(".keep-status").textContent = LOCAL.test(location.hostname) ? "This book is served by your own machine, which is there without a network." : "This browser window keeps nothing. Private windows refuse, and so do pages without https.";
    return;
  }
  const keeper = box && new Keeper(box);
  const wish = !remembered(refused) && !navigator.connection?.saveData;
  await keeper?.show();
  if (wish) {
    if (!keeper && !(await onShelf("offline.json"))) await pause(MOMENT); // so that who leaves at once, leaves nothing half made
    for (const seconds of [2, 8, 30, 0]) { // a file may be lost on the way; after that, the next page goes on
      if (keeper?.asked || unwanted() || (await keepPages().catch(() => null))) break;
      await pause(1000 * seconds);
    }
    if (!keeper?.asked) await keeper?.show(); // what was answered to a button stays
  }
}

begin();
