// A service worker: the book can be read, and what was run can be run again, without a network. With one, a page is asked of
// the server first, so that nothing old is shown after a new publication.
// Each build of the book has a shelf of its own. offline.mjs puts its list there last: then it is whole. A page is known by
// its fingerprint for one of a build, and gets its scripts and styles from the shelf of that build, or from the server where
// they are those of that build: never from another one. A page of a build that is not kept has the network alone.
const BOOK = new URL("./", self.location).href;
const SHELF = `ndcg-pages ${BOOK} `; // with the mark of the build
const LIST = new URL("offline.json", BOOK).href;
const LARGE = /^_static\/pyodide\/.*\.(wasm|packed|whl|zip)$/; // the worker that runs Python keeps these itself
const COMPILED = /^_static\/pyodide\/.*\.wasm$/; // from its shelf, and by this worker: then the browser keeps it compiled
const NAMED = /^(lite|_static\/(live-\w+|pyodide))\//; // of these, what has the same name is the same in every build that is kept
const PATIENCE = 6_000; // milliseconds; a network that does not answer by then counts as none, if the page is kept

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("message", (event) => event.waitUntil(tidy(event.source.id, event.data)));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(BOOK) || request.url === LIST) return;
  const name = nameOf(request.url);
  if (COMPILED.test(name)) return event.respondWith(caches.match(request.url).then((kept) => kept ?? fetch(request)));
  if (LARGE.test(name)) return;
  if (request.mode === "navigate") return event.respondWith(page(event, name).then(name.startsWith("lite/") ? (it) => it : alone));
  event.respondWith(request.destination === "worker" && !name.startsWith("lite/") ? part(event, name).then(alone) : part(event, name));
});

// One name for a file, whatever stands behind its "?".
function nameOf(address) {
  const name = address.split(/[?#]/)[0].slice(BOOK.length);
  return name === "" || name.endsWith("/") ? `${name}index.html` : name;
}

const onShelf = (name, shelf) => caches.match(new URL(name, BOOK), { cacheName: shelf, ignoreVary: true }); // to open a shelf would make it

// The whole shelves, the newest first.
async function shelves() {
  const names = (await caches.keys()).filter((name) => name.startsWith(SHELF));
  const all = await Promise.all(names.map(async (name) => ({ name, list: await (await onShelf(LIST, name))?.json() })));
  return all.filter(({ list }) => list).sort((one, other) => other.list.at - one.list.at);
}

async function put(shelf, name, response) {
  const there = await caches.has(shelf);
  if (there) await (await caches.open(shelf)).put(new URL(name, BOOK), response);
  return there;
}

async function fingerprint(data) {
  return [...new Uint8Array(await crypto.subtle.digest("SHA-256", data)).slice(0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Which page is of which build is kept as well, for this worker may be ended between two questions of a page.
const markOf = (id) => `${BOOK}?page=${id}`;
const lately = new Map(); // when a page was told its build: while it is on its way, it is not among the clients
const fresh = (what) => Date.now() - lately.get(what) < 10 * PATIENCE;
const note = (id, shelf) => {
  for (const what of [shelf, markOf(id)]) lately.set(what, Date.now());
  return id && put(shelf, markOf(id), new Response(shelf));
};

async function page(event, name) {
  const { request, resultingClientId } = event, whole = await shelves();
  let home = null, kept = null;
  for (const { name: shelf } of whole) kept ??= (home = shelf) && (await onShelf(name, shelf));
  const asked = fetch(new Request(request.url, { cache: "no-cache", redirect: "manual" })).then(async (answer) => {
    if (!answer.ok) return answer;
    const data = await answer.arrayBuffer(), mark = await fingerprint(data);
    const own = whole.find(({ list }) => list.files[name] === mark)?.name;
    const made = () => new Response(data, { headers: answer.headers });
    if (own) await Promise.all([note(resultingClientId, own), put(own, name, made())]);
    return made();
  });
  const late = kept && new Promise((resolve) => setTimeout(resolve, PATIENCE));
  const answer = await Promise.race([asked, late ?? asked]).catch(() => null);
  if (answer && (!kept || answer.status < 500)) return answer;
  if (kept) return (await note(resultingClientId, home)) === false ? page(event, name) : kept; // false: that shelf has gone meanwhile
  const absent = new URL("offline.html", BOOK);
  if (name === "offline.html") return Response.error();
  absent.searchParams.set("wanted", request.url.slice(BOOK.length));
  return Response.redirect(absent.href);
}

async function part({ request, clientId, resultingClientId }, name) {
  const home = await (await caches.match(markOf(clientId)))?.text();
  if (home && resultingClientId) await note(resultingClientId, home); // a worker of that page
  const kept = home && (await onShelf(name, home));
  if (kept) return kept;
  const mark = home && (await (await onShelf(LIST, home))?.json())?.files[name];
  if (!mark) return fetch(request).catch(async (error) => (NAMED.test(name) && (await onShelf(name))) || Promise.reject(error));
  const answer = await fetch(request.url, { cache: "no-cache" });
  const data = await answer.arrayBuffer();
  if ((await fingerprint(data)) !== mark) return Response.error(); // of a build to come, or of a network that wants to be paid
  const made = () => new Response(data, { headers: answer.headers });
  await put(home, name, made());
  return made();
}

// A page has filled a shelf; it is of that build itself or not. What no page uses any more goes.
async function tidy(id, { shelf, own }) {
  if (own) await note(id, shelf);
  const open = new Set((await self.clients.matchAll({ includeUncontrolled: true, type: "all" })).map((client) => markOf(client.id)));
  for (const name of await caches.keys()) {
    if (name === "ndcg-pages") await caches.delete(name); // of all builds at once, as it was
    if (!name.startsWith(SHELF)) continue;
    const there = await caches.open(name);
    let used = name === shelf || fresh(name);
    for (const { url } of await there.keys()) {
      if (open.has(url) || fresh(url)) used = true;
      else if (url.startsWith(markOf(""))) await there.delete(url);
    }
    if (!used) await caches.delete(name);
  }
}

// A page that shares its memory with no other site may share it with its own worker, and so ask Python to stop. The host
// need not send these headers. WebKit does not know "credentialless": there the page is as it was, and Stop starts Python anew.
const WEBKIT = /AppleWebKit\/(?!.*Chrom(e|ium)\/)/.test(navigator.userAgent);

function alone(response) {
  if (!response.ok || WEBKIT) return response;
  const headers = new Headers(response.headers);
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
  headers.set("Cross-Origin-Embedder-Policy", "credentialless");
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
