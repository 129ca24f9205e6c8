// A service worker: the book can be read, and what was run can be run again, without a network.
// With one, everything is asked of the server first, so that nothing old is shown after a new publication.
const SHELF = "ndcg-pages";
const BOOK = new URL("./", self.location).href;
const NOT_OURS = ["offline.json"]; // the list is put here by offline.mjs, last
const LARGE = /^_static\/pyodide\/.*\.(wasm|packed|whl|zip)$/; // the worker that runs Python keeps these itself
const COMPILED = /^_static\/pyodide\/.*\.wasm$/; // from its shelf, and by this worker: then the browser keeps it compiled
const PATIENCE = 6_000; // milliseconds; a network that does not answer by then counts as none, if the page is kept

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(BOOK)) return;
  const name = request.url.slice(BOOK.length);
  if (COMPILED.test(name)) return event.respondWith(caches.match(request.url).then((kept) => kept ?? fetch(request)));
  if (name.startsWith("lite/")) return event.respondWith(fetch(request).catch((error) => onAnyShelf(null, placeOf(request.url)).then((kept) => kept ?? Promise.reject(error)))); // until it has a worker of its own
  if (NOT_OURS.some((folder) => name.startsWith(folder)) || LARGE.test(name.split(/[?#]/)[0])) return;
  const starts = request.mode === "navigate" || request.destination === "worker";
  event.respondWith(starts ? answer(event, request).then(alone) : answer(event, request));
});

async function answer(event, request) {
  const shelf = (await caches.has(SHELF)) && (await caches.open(SHELF)); // a page makes it; where it was removed, nothing is kept
  const place = placeOf(request.url);
  const asked = fetch(request.mode === "navigate" ? afresh(request) : request).then((response) => {
    if (shelf && response.status === 200) event.waitUntil(shelf.put(place, response.clone()));
    return response;
  });
  asked.catch(() => {}); // it may fail after a kept copy was shown
  try {
    const kept = onAnyShelf(shelf, place);
    const late = new Promise((resolve) => setTimeout(async () => (await kept) && resolve(kept), PATIENCE));
    return await Promise.race([asked, late]);
  } catch (error) {
    const kept = await onAnyShelf(shelf, place);
    if (kept) return kept;
    const page = new URL("offline.html", BOOK);
    if (request.mode !== "navigate" || place === page.href) throw error;
    page.searchParams.set("wanted", request.url.slice(BOOK.length));
    return Response.redirect(page.href);
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

// The scripts that start Python lie beside it, where it was run before this worker had charge of the page.
async function onAnyShelf(shelf, place) {
  return (shelf && (await shelf.match(place, { ignoreVary: true }))) || caches.match(place, { ignoreVary: true });
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
