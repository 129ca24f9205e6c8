// What a reader has done: pages read to their end, questions answered, points of assignments. All of it stays in this browser.
document.addEventListener("DOMContentLoaded", () => {
  const book = new URL(document.documentElement.dataset.content_root ?? "./", location.href).href;
  const own = (name) => `${name} ${new URL(book).pathname}`; // until November 2026 the books of a host shared it
  const STORE = "ndcg-progress";
  const nameOf = (address) => address.slice(book.length).split(/[?#]/)[0] || "index.html";
  const here = nameOf(location.href);
  const stored = (name) => {
    try {
      return JSON.parse(localStorage.getItem(own(name)) ?? localStorage.getItem(name)) ?? {};
    } catch {
      return {}; // private windows may refuse
    }
  };
  let all = stored(STORE);
  const note = (change) => {
    all = { ...stored(STORE) };
    all[here] = { ...all[here], ...change(all[here] ?? {}) };
    try {
      localStorage.setItem(own(STORE), JSON.stringify(all));
    } catch { /* then it lasts as long as the page */ }
    show();
  };
  const make = (tag, name, words) => Object.assign(document.createElement(tag), { className: name, textContent: words });

  // ---- questions: the first answer counts; an answer that is only looked up counts for nothing ----
  const quizzes = [...document.querySelectorAll(".quiz:not(.exhibit, .bet)")];
  const score = make("p", "quiz-score", "");
  score.setAttribute("role", "status");
  quizzes.at(-1)?.after(score);
  const answer = (quiz, right) => {
    const i = quizzes.indexOf(quiz);
    if (i >= 0 && !(i in (all[here]?.quiz ?? {}))) note(({ quiz: before }) => ({ quiz: { ...before, [i]: right }, of: quizzes.length }));
  };
  document.addEventListener("ndcg-answer", ({ target, detail }) => answer(target, detail ? 1 : 0));
  document.addEventListener("toggle", ({ target }) => {
    if (!target.open || !target.matches(".quiz > .quiz-answer")) return;
    answer(target.parentElement, target.matches(".key") ? "seen" : target.matches(".right") ? 1 : 0);
  }, true);

  // ---- a page of the handbook leads back to where the path was left ----
  const LAST = own("ndcg-progress:last"), back = document.querySelector(".back-to-path");
  try {
    if (document.querySelector(".path-place")) localStorage.setItem(LAST, JSON.stringify([here, document.querySelector(".path-place [aria-current]").textContent]));
    const [page, number] = JSON.parse(localStorage.getItem(LAST)) ?? [];
    if (back && page) Object.assign(back, { href: book + page, textContent: `Back to page ${number}` });
  } catch { /* then the link leads to page 1 */ }

  // ---- the page is read when its end has been seen ----
  const end = document.querySelector(".prev-next-area");
  if (end && document.querySelector(".page-meta")) {
    new IntersectionObserver(([{ isIntersecting }]) => isIntersecting && !all[here]?.read && note(() => ({ read: true }))).observe(end);
  }

  const counts = ({ quiz = {}, of = 0 } = {}) => ({ right: Object.values(quiz).filter((said) => said === 1).length, answered: Object.keys(quiz).length, of });
  const marks = [];
  const forget = make("button", "progress-forget live-button", "Forget what I did");
  forget.type = "button";
  forget.addEventListener("click", () => {
    if (!confirm("Forget pages read, answers, guesses, edits and points in this browser?")) return;
    document.dispatchEvent(new Event("ndcg-forget")); // else the page puts back what it still knows
    const mine = `ndcg:work ${encodeURIComponent(new URL(book).pathname)} `; // of this book alone
    for (const name of Object.keys(localStorage)) if (name.startsWith(mine) || (/^ndcg[-:]/.test(name) && name.endsWith(own(""))) || /^ndcg(-progress|-progress:last|-guesses|-watch|:record|:cell:\S+|:own \S+)$/.test(name)) localStorage.removeItem(name);
    location.reload();
  });
  document.querySelector(".bd-links")?.append(forget);

  function show() {
    const { right, answered, of } = counts(all[here]);
    score.textContent = answered ? `${right} of ${of} right at the first try${answered < of ? `, ${of - answered} to go` : ""}.` : "";
    quizzes.forEach((quiz, i) => { quiz.dataset.said = { 1: "right", 0: "wrong", seen: "seen" }[all[here]?.quiz?.[i]] ?? ""; });
    for (const mark of marks.splice(0)) mark.remove();
    for (const link of document.querySelectorAll(".bd-links a.reference.internal, ol.stations a")) {
      const done = all[nameOf(link.href)];
      if (!done?.read && !done?.quiz) continue;
      const { right, of } = counts(done);
      const mark = make("span", "progress-mark", `${done.read ? "✓" : ""}${of ? ` ${right}/${of}` : ""}`);
      mark.setAttribute("role", "img");
      mark.setAttribute("aria-label", [done.read && "read", of && `${right} of ${of} questions right`].filter(Boolean).join(", "));
      link.append(" ", mark);
      marks.push(mark);
    }
    for (const link of document.querySelectorAll(".stations-line a")) link.classList.toggle("read", Boolean(all[nameOf(link.href)]?.read));
    const students = Object.values(stored("ndcg:record").students ?? {});
    for (const cell of document.querySelectorAll("[data-tasks]")) {
      const points = cell.dataset.tasks.split(" ").reduce((sum, task) => sum + Math.max(0, ...students.map((done) => done[task]?.points ?? 0)), 0);
      cell.textContent = points ? `${points} of ${cell.dataset.points}` : cell.dataset.points;
    }
    forget.hidden = !Object.keys(all).length && !students.length;
  }
  show();

  // ---- ?watch keeps the minutes of a reader, for somebody who times readers; nobody else loads it ----
  if (/[?&]watch\b/.test(location.search) || Object.keys(stored("ndcg-watch")).length) {
    window.ndcgPage = { page: here, title: document.querySelector("h1")?.firstChild?.textContent.trim() || document.title };
    document.head.append(Object.assign(document.createElement("script"), { src: `${book}_static/watch.mjs` }));
  }
});
