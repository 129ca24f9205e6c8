// A service worker: the book can be read, and what was run can be run again, without a network.
// With one, everything is asked of the server first, so that nothing old is shown after a new publication.
const SHELF = "ndcg-pages";
const BOOK = new URL("./", self.location).href;
const NOT_OURS = ["lite/", "offline.json"]; // JupyterLite has a worker of its own; the list is put here by offline.mjs, last
const LARGE = /^_static\/pyodide\/.*\.(wasm|whl|zip)$/; // the worker that runs Python keeps these itself
const PATIENCE = 6_000; // milliseconds; a network that does not answer by then counts as none, if the page is kept

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(BOOK)) return;
  const name = request.url.slice(BOOK.length);
  if (NOT_OURS.some((folder) => name.startsWith(folder)) || LARGE.test(name.split(/[?#]/)[0])) return;
  event.respondWith(answer(event, request));
});

async function answer(event, request) {
  const shelf = await caches.open(SHELF);
  const place = placeOf(request.url);
  const asked = fetch(request.mode === "navigate" ? afresh(request) : request).then((response) => {
    if (response.status === 200) event.waitUntil(shelf.put(place, response.clone()));
    return response;
  });
  asked.catch(() => {}); // it may fail after a kept copy was shown
  try {
    const kept = shelf.match(place, { ignoreVary: true });
    const late = new Promise((resolve) => setTimeout(async () => (await kept) && resolve(kept), PATIENCE));
    return await Promise.race([asked, late]);
  } catch (error) {
    const kept = await shelf.match(place, { ignoreVary: true });
    if (kept) return kept;
    const page = new URL("offline.html", BOOK);
    if (request.mode !== "navigate" || place === page.href) throw error;
    page.searchParams.set("wanted", request.url.slice(BOOK.length));
    return Response.redirect(page.href);
  }
}

// One place for a file, whatever stands behind its "?": the mark of its version, or what a page is to do with itself.
function placeOf(address) {
  const plain = address.split(/[?#]/)[0];
  return plain.endsWith("/") ? `${plain}index.html` : plain;
}

// A page is never taken from the browser's own cache unasked; its styles and scripts have other addresses when they change.
function afresh({ url }) {
  return new Request(url, { cache: "no-cache", redirect: "manual" });
}
