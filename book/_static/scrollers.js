// What is too wide for the screen scrolls; whoever has no mouse must be able to get there to scroll it.
document.addEventListener("DOMContentLoaded", () => {
  const kinds = { code: "pre", formula: ".math-block", table: ".pst-scrollable-table-container, .table-wrapper, .ndcg-working", output: ".cell_output, .output" };
  const wide = Object.values(kinds).join(", ");
  const reach = (element) => {
    const scrolls = element.scrollWidth > element.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(element).overflowX);
    if (scrolls) {
      element.tabIndex = 0;
      if (!element.hasAttribute("role")) {
        const kind = Object.keys(kinds).find((kind) => element.matches(kinds[kind]));
        element.setAttribute("role", "group");
        element.setAttribute("aria-label", `Wide ${kind}, scrolls sideways`);
      }
    } else if (!element.closest(".live-output")) {
      element.removeAttribute("tabindex");
    }
  };
  const parts = (node) => [node, ...node.querySelectorAll("*")].filter((part) => part.matches(wide));
  const size = new ResizeObserver((entries) => entries.forEach(({ target }) => reach(target.closest(wide) ?? target)));
  const watch = (element) => [element, ...element.children].forEach((part) => size.observe(part)); // a child that grows moves no edge of its parent
  const article = document.querySelector(".bd-article");
  if (!article) return;
  parts(article).forEach(watch);
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      for (const node of addedNodes) if (node.nodeType === 1) parts(node).forEach(watch);
      if (target.closest(wide)) watch(target.closest(wide));
    }
  }).observe(article, { childList: true, subtree: true });
});
