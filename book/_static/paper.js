// Paper is white: what is printed from a dark page is printed in the colours of the light one.
{
  const paper = matchMedia("print");
  const root = document.documentElement;
  let theme = null;
  const before = () => {
    theme ??= root.dataset.theme;
    root.dataset.theme = "light";
  };
  const after = () => {
    if (theme !== null) root.dataset.theme = theme;
    theme = null;
  };
  addEventListener("beforeprint", before);
  addEventListener("afterprint", after);
  paper.addEventListener("change", () => (paper.matches ? before : after)());
}
