// ?embed=1 shows a page without header and sidebar, for a frame on another site, and tells that site how high it is.
if (new URLSearchParams(location.search).get("embed") === "1") {
  const root = document.documentElement;
  root.classList.add("embedded");
  const begin = () => {
    const page = document.querySelector(".bd-article-container") ?? document.body;
    let told = 0;
    const tell = () => {
      const height = Math.ceil(page.getBoundingClientRect().bottom + scrollY);
      if (height !== told) parent.postMessage({ ndcg: "height", height: (told = height) }, "*");
    };
    new ResizeObserver(tell).observe(page);
    tell();
    for (const link of document.querySelectorAll("a[href]")) { // pages of the book stay in the frame, others get a tab
      const to = new URL(link.href, location.href);
      if (to.origin !== location.origin) link.target = "_blank";
      else if (to.pathname.endsWith(".html") && to.pathname !== location.pathname) {
        to.searchParams.set("embed", "1");
        link.href = to.href;
      }
    }
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", begin);
  else begin();
}
