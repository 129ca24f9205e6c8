document.addEventListener("DOMContentLoaded", () => {
  const holder = document.querySelector(".peers-filter"), field = holder.querySelector("input"), said = holder.querySelector("output");
  const choose = document.querySelector(".matrix-choose"), tools = [...document.querySelectorAll(".matrix tbody tr")];
  if (choose) { // a phone shows one tool at a time
    const select = choose.querySelector("select"), narrow = matchMedia("(max-width: 48rem)");
    select.append(...tools.map((row, i) => new Option(row.cells[0].textContent, i)));
    const show = () => {
      choose.hidden = !narrow.matches;
      tools.forEach((row, i) => row.classList.toggle("aside", narrow.matches && i !== Number(select.value)));
    };
    select.addEventListener("change", show);
    narrow.addEventListener("change", show);
    show();
  }
  for (const table of document.querySelectorAll(".peers table.table")) { // a phone shows each row as a card, whose lines name their columns
    const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
    for (const row of table.tBodies[0].rows) [...row.cells].forEach((cell, i) => { cell.dataset.column = names[i]; });
  }
  const rows = [...document.querySelectorAll(".peers tbody tr, .bd-article .admonition.misconception")];
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
    said.textContent = words.length ? `${rows.filter((row) => !row.hidden).length} of ${rows.length} ${rows[0]?.matches("tr") ? "rows" : "entries"}` : "";
  });
  holder.hidden = false;
});
