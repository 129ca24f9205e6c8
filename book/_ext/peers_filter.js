document.addEventListener("DOMContentLoaded", () => {
  const holder = document.querySelector(".peers-filter"), field = holder.querySelector("input"), said = holder.querySelector("output");
  const rows = [...document.querySelectorAll(".peers tbody tr")];
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
    said.textContent = words.length ? `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows` : "";
  });
  holder.hidden = false;
});
