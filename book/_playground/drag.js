// Drag by pointer: mouse, pen and finger alike. Escape lets go; buttons and arrow keys do the same without dragging.

const FAR_ENOUGH = 4; // pixels; less is a click

export function draggable(root, lists, acts) {
  let held = null;

  root.addEventListener("pointerdown", (event) => {
    const handle = event.target.closest?.("[data-drag]");
    if (!handle || event.button !== 0 || held) return;
    const row = handle.closest(".row");
    held = { handle, row, name: handle.dataset.drag, x: event.clientX, y: event.clientY, scroll: scrollY, moving: false, target: null };
    handle.setPointerCapture(event.pointerId);
  });

  root.addEventListener("pointermove", (event) => {
    if (!held) return;
    const dx = event.clientX - held.x, dy = event.clientY - held.y;
    if (!held.moving && Math.hypot(dx, dy) < FAR_ENOUGH) return;
    held.moving = true;
    held.row.classList.add("held");
    if (event.clientY < 50) scrollBy(0, -8);
    if (event.clientY > innerHeight - 90) scrollBy(0, 8);
    held.row.style.transform = `translate(${dx}px, ${dy + scrollY - held.scroll}px)`;
    point(event.clientX, event.clientY);
  });

  root.addEventListener("pointerup", () => {
    if (!held) return;
    const { moving, target, name } = held;
    release();
    if (moving && target) acts.place(name, target.list, target.place);
  });
  root.addEventListener("pointercancel", () => held && release());
  root.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !held) return;
    release();
    acts.letGo();
  });

  // Where the document would land: the list under the pointer, before the first row whose middle is below it.
  function point(x, y) {
    unmark();
    held.target = null;
    for (const list of [lists.returned, lists.missed]) {
      const box = list.getBoundingClientRect();
      if (x < box.left - 20 || x > box.right + 20 || y < box.top - 24 || y > box.bottom + 24) continue;
      const others = [...list.querySelectorAll(".row")].filter((row) => row !== held.row);
      const before = others.findIndex((row) => y < middle(row));
      const place = before < 0 ? others.length : before;
      held.target = { list: list.dataset.list, place };
      if (before >= 0) others[before].classList.add("land-before");
      else (others.at(-1) ?? list).classList.add("land-after");
      return;
    }
  }

  function middle(row) {
    const box = row.getBoundingClientRect();
    return box.top + box.height / 2;
  }

  function release() {
    held.row.classList.remove("held");
    held.row.style.transform = "";
    unmark();
    held = null;
  }

  function unmark() {
    for (const marked of root.querySelectorAll(".land-before, .land-after")) marked.classList.remove("land-before", "land-after");
  }
}
