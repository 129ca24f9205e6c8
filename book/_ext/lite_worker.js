
// Of the book: with a network all is asked of the server; without one, it comes from what the reader keeps.
shouldDrop = ({ method }, { protocol }) => method !== "GET" || !protocol.startsWith("http");
maybeFromCache = ({ request }) => fetch(request).catch(async (error) => {
  const kept = await caches.match(request.url.split(/[?#]/)[0], { ignoreVary: true });
  return kept ?? Promise.reject(error);
});
cacheAll = async () => {}; // it would make an empty shelf
