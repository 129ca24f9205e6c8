// Has the browser keep what is read here, for the time without a network (offline.js does it).
const LOCAL = /^(localhost|127\.|\[::1\])/; // there the network cannot be away, and the address may be another book's tomorrow

export async function keepForOffline(book) {
  const folder = new URL("./", location.href);
  // Not the root: below it lies JupyterLite, which has a service worker of its own.
  if (!navigator.serviceWorker || LOCAL.test(location.hostname) || folder.href === book) return;
  const scopes = [folder, new URL("_static/", book)]; // of the pages, and of the worker that runs Python
  const script = new URL("offline.js", book);
  await Promise.all(scopes.map((scope) => navigator.serviceWorker.register(script, { scope })));
  await navigator.serviceWorker.ready;
  // What came before it was ready has gone past it.
  const shelf = await caches.open("ndcg-pages");
  const seen = [location.href.split("#")[0], ...performance.getEntriesByType("resource").map(({ name }) => name)];
  await Promise.allSettled(seen.filter((address) => address.startsWith(book)).map((address) => shelf.add(address)));
}
