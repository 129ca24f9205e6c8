// What is too wide for the screen scrolls; whoever has no mouse must be able to get there to scroll it.
document.addEventListener("DOMContentLoaded", () => {
  const wide = ".bd-article pre, .bd-article .math-block, .bd-article .cell_output, .bd-article .output, .bd-article .pst-scrollable-table-container, .bd-article .ndcg-working, .bd-article .table-wrapper";
  const reach = (element) => {
    const scrolls = element.scrollWidth > element.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(element).overflowX);
    if (scrolls) element.tabIndex = 0;
    else if (!element.closest(".live-output")) element.removeAttribute("tabindex");
  };
  const watch = new ResizeObserver((entries) => entries.forEach((entry) => reach(entry.target)));
  document.querySelectorAll(wide).forEach((element) => watch.observe(element));
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const node of addedNodes)
        if (node.nodeType === 1) [node, ...node.querySelectorAll("*")].filter((part) => part.matches(wide)).forEach((part) => watch.observe(part));
  }).observe(document.querySelector(".bd-article") ?? document.body, { childList: true, subtree: true });
});
