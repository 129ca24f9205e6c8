// On every page: has the browser keep the book for the time without a network. On the page about that: what is kept, a
// button that keeps Python as well, one that forgets everything.
const LOCAL = /^(localhost|127\.|\[::1\])/; // there the network cannot be away, and the address may be another book's tomorrow
const book = new URL(document.documentElement.dataset.content_root ?? "./", location.href).href;
const SHELF = `ndcg-pages ${book} `; // with the mark of a build, as in offline_worker.js
const AHEAD = 2; // pages of the path, fetched unasked
const refused = "ndcg:keep-nothing"; // python.mjs heeds it as well
const MOMENT = 3000; // milliseconds: WebKit stays for ever with a worker whose page was left while it was being registered
const remembered = (name) => {
  try {
    return localStorage.getItem(name);
  } catch {
    return null; // private windows may refuse
  }
};
const page = document.documentElement.dataset;
const announce = (state) => (page.shelf = state); // fetching, waits (for Python), whole, broken, nothing
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
const onShelf = (name, cacheName) => caches.match(new URL(name, book), { cacheName, ignoreVary: true });
const nameOf = (address) => address.split(/[?#]/)[0].slice(book.length).replace(/(^|\/)$/, "$1index.html");

// The newest shelf that is whole: its list stands on it.
async function newest() {
  const names = (await caches.keys()).filter((name) => name.startsWith(SHELF));
  const all = await Promise.all(names.map(async (shelf) => ({ shelf, list: await (await onShelf("offline.json", shelf))?.json().catch(() => null) })));
  return all.filter(({ list }) => list).sort((one, other) => other.list.at - one.list.at)[0];
}

async function fingerprint(blob) {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", await blob.arrayBuffer()));
  return [...bytes.slice(0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Put files on a shelf: as the list of their build has them, by size or fingerprint, or not at all.
async function putAll(shelf, files, names, told = () => {}, cache = "no-cache") {
  const todo = [...names];
  const lost = [];
  const one = async () => {
    for (let name = todo.shift(); name; name = todo.shift()) {
      while (page.python === "starting") await (announce("waits"), pause(200)); // the reader waits for that
      announce("fetching");
      heed();
      const answer = await fetch(new URL(name, book), { cache, signal: leave.signal }).catch(() => null);
      const whole = answer?.ok && (await answer.blob().catch(() => null)); // a connection that breaks leaves no half of a file
      const right = whole && (typeof files[name] === "number" ? whole.size : await fingerprint(whole)) === files[name];
      if (right && !unwanted()) await shelf.put(new URL(name, book), new Response(whole, { headers: answer.headers }));
      else lost.push(name);
      told(name);
    }
  };
  const ends = await Promise.allSettled([one(), one(), one(), one()]); // none goes on putting after the others have failed
  for (const { reason } of ends) if (reason) throw reason;
  if (lost.length) throw new Error(`${lost.length} files did not come; press the button again to go on`);
}

// What a page shows with: what it names, the letters, and what runs its code.
function partsOf(page, name, files) {
  const named = [...page.querySelectorAll("link[rel~=stylesheet], link[rel~=preload], link[rel~=icon], script[src], img[src]")];
  const places = named.map((part) => new URL(part.getAttribute("src") ?? part.getAttribute("href"), new URL(name, book)).href);
  const more = Object.keys(files).filter((file) => /^_static\/(fonts\/|math\.|live-)/.test(file));
  return [...places.filter((place) => place.startsWith(book)).map(nameOf), ...more].filter((file) => file in files);
}

let keeping = null; // one at a time: the page itself begins, and the button may be pressed meanwhile
async function keepPages(everything = false) {
  while (keeping) await keeping.catch(() => null);
  keeping = fetchPages(everything).finally(() => (keeping = null));
  return keeping;
}

// The shelf of the build that the server has now: what this page and the next ones of the path show with, what the shelf
// before had, or everything. The list comes last, and the shelf before goes when no page uses it (offline_worker.js).
async function fetchPages(everything) {
  for (const old of await navigator.serviceWorker.getRegistrations()) {
    if (old.scope.startsWith(book) && old.scope !== book && !old.scope.startsWith(`${book}lite/`)) await old.unregister();
  }
  await navigator.serviceWorker.register(new URL("offline.js", book), { scope: book });
  const { active } = await navigator.serviceWorker.ready;
  const now = await list(), { files } = now;
  heed();
  const before = await newest();
  const shelf = await caches.open(SHELF + now.build);
  const take = async (names) => {
    const missing = [];
    for (const name of new Set(names)) {
      if (!(name in files) || (await onShelf(name, SHELF + now.build))) continue;
      const old = before?.list.files[name] === files[name] && (await onShelf(name, before.shelf));
      if (old) await shelf.put(new URL(name, book), old);
      else missing.push(name);
    }
    await putAll(shelf, files, missing);
  };
  const all = everything || before?.list.all, mine = nameOf(location.href);
  const known = before ? (await (await caches.open(before.shelf)).keys()).filter(({ url }) => !url.includes("?")).map(({ url }) => nameOf(url)) : [];
  const loaded = performance.getEntriesByType("resource").filter((part) => part.name.startsWith(book)).map((part) => nameOf(part.name));
  await take(all ? Object.keys(files) : ["offline.html", mine, ...known, ...loaded, ...partsOf(document, mine, files)]);
  for (let open = document, name = mine, ahead = 0; ahead < AHEAD && !all; ahead += 1) {
    const next = open.querySelector("a.go-on, a:has(> .station-number)")?.getAttribute("href");
    if (next) name = nameOf(new URL(next, new URL(name, book)).href);
    if (!next || !(name in files)) break;
    await take([name]);
    open = new DOMParser().parseFromString(await (await onShelf(name, SHELF + now.build)).text(), "text/html");
    await take(partsOf(open, name, files));
  }
  heed();
  await shelf.put(new URL("offline.json", book), new Response(JSON.stringify({ ...now, all, at: Date.now() })));
  const cached = await fetch(new URL(mine, book), { cache: "force-cache" }).then((answer) => answer.blob()).then(fingerprint).catch(() => "");
  active.postMessage({ shelf: SHELF + now.build, own: cached === files[mine] }); // as this page itself came
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
  for (const name of await caches.keys()) { // those of another book on this host stay
    if (name.startsWith("ndcg-") && (await (await caches.open(name)).keys()).every(({ url }) => url.startsWith(book))) await caches.delete(name);
  }
  for (const worker of await navigator.serviceWorker.getRegistrations()) if (worker.scope === book) await worker.unregister();
  leave = new AbortController();
  announce("nothing");
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
    const old = await newest();
    const now = old?.list ?? (await list().catch(() => null));
    const titles = Object.entries(now?.titles ?? {});
    const there = await Promise.all(titles.map(([name]) => old && onShelf(name, old.shelf)));
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
      const now = await keepPages(true);
      await this.fetchPart("Python", now.python);
      await this.fetchPart("the notebooks", now.jupyter);
      await navigator.serviceWorker.register(new URL("lite/service-worker.js?enableCache=false", book));
      for (const name of await caches.keys()) {
        if (name.startsWith("ndcg-jupyter-") && name !== now.jupyter.shelf) await caches.delete(name);
      }
      announce("whole");
      await this.show("The whole book is kept here, Python and notebooks included. It works without a network now.");
    } catch (error) {
      announce("broken");
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
    await putAll(place, files, names, told);
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
    announce("nothing");
    if (box) box.querySelector(".keep-status").textContent = LOCAL.test(location.hostname) ? "This book is served by your own machine, which is there without a network." : "This browser window keeps nothing. Private windows refuse, and so do pages without https.";
    return;
  }
  const keeper = box && new Keeper(box);
  let end = "nothing";
  await keeper?.show();
  if (!unwanted() && !navigator.connection?.saveData) {
    if (!keeper && !(await newest())) await pause(MOMENT); // so that who leaves at once, leaves nothing half made
    for (const seconds of [2, 8, 30, 0]) { // a file may be lost on the way; after that, the next page goes on
      if (keeper?.asked || unwanted()) break;
      end = await keepPages().then(() => "whole", () => "broken");
      if (end === "whole") break;
      await pause(1000 * seconds);
    }
    if (!keeper?.asked) await keeper?.show(); // what was answered to a button stays
  }
  if (!keeper?.asked) announce(unwanted() ? "nothing" : end);
}

begin();
