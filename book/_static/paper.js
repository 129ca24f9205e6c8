// Paper is white: what is printed from a dark page is printed in the colours of the light one. Answers stand at its end.
{
  const paper = matchMedia("print");
  const root = document.documentElement;
  let theme = null;
  const before = () => {
    theme ??= root.dataset.theme;
    root.dataset.theme = "light";
    const asked = [...document.querySelectorAll(".bd-article .quiz")], list = document.createElement("ol");
    if (!asked.length || document.querySelector(".paper-answers")) return;
    list.className = "paper-answers";
    list.append(...asked.flatMap((quiz) => {
      const right = [...quiz.querySelectorAll(".quiz-answer.right, .quiz-answer.key")], line = document.createElement("li");
      const letter = (answer) => (answer.matches(".key") ? [] : [`${String.fromCharCode(64 + 1 + [...quiz.querySelectorAll(".quiz-answer")].indexOf(answer))}. `]);
      line.append(...right.flatMap((answer) => [...letter(answer), ...[...answer.querySelectorAll(".quiz-feedback > *")].map((part) => part.cloneNode(true))]));
      return line.childNodes.length ? [line] : [];
    }));
    document.querySelector(".bd-article").append("", list);
  };
  const after = () => {
    if (theme !== null) root.dataset.theme = theme;
    theme = null;
    document.querySelector(".paper-answers")?.remove();
  };
  addEventListener("beforeprint", before);
  addEventListener("afterprint", after);
  paper.addEventListener("change", () => (paper.matches ? before : after)());
}
