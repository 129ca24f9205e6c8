// The answers of an assignment's page as the notebook that the grader takes, and such a notebook read back.
async function given(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error("the notebook of this assignment is not on the server");
  return answer.json();
}

// The page has a Python already, and no cell that installs one.
const codeOf = (notebook) => notebook.cells.filter((cell) => cell.cell_type === "code" && cell.id !== "install");

async function filledIn(address, cells) {
  const notebook = await given(address);
  const codes = codeOf(notebook);
  if (codes.length !== cells.length) throw new Error("the notebook and this page do not match; reload the page");
  codes.forEach((cell, i) => {
    cell.source = cells[i].code.split(/(?<=\n)/);
    cell.outputs = [];
    cell.execution_count = null;
  });
  return notebook;
}

const textOf = ({ source }) => [source].flat().join("");
const gradeId = (cell) => cell.metadata?.nbgrader?.grade_id;

const assigned = (cell) => [...textOf(cell).matchAll(/^(?:def (\w+)|(\w+)[ \t]*=(?!=))/gm)].map(([, one, other]) => one ?? other);

// A cell is known by its id, else by nbgrader's name for it, else by the name that it assigns, as the grader knows it: Colab,
// nbstripout and jupytext drop or renumber ids. It does not matter which cells a student has added.
function sameAs(cell, saved) {
  const mark = gradeId(cell), name = mark?.replace(/^answer_/, "") ?? assigned(cell)[0];
  return saved.find(({ id }) => id === cell.id) ?? saved.find((one) => mark && gradeId(one) === mark)
    ?? saved.findLast((one) => assigned(one).includes(name));
}

export async function readBack(address, text, cells) {
  let saved;
  try {
    saved = codeOf(JSON.parse(text));
  } catch {
    throw new Error("this is not a notebook");
  }
  const found = codeOf(await given(address)).map((cell) => [cell, sameAs(cell, saved)]);
  const answers = found.filter(([cell, one]) => one && cell.id.startsWith("answer-"));
  if (!answers.length) throw new Error("this is the notebook of another assignment");
  found.forEach(([, one], i) => {
    if (one) cells[i].code = textOf(one);
  });
  return answers.length;
}

function saveAs(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/x-ipynb+json" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function offerNotebook(cells) {
  const link = document.querySelector(".bd-article a.download[href$='.ipynb']");
  if (!link) return;
  const bar = document.createElement("div");
  bar.className = "live-bar live-save";
  bar.innerHTML = `<button type="button" class="live-button">Save my answers as a notebook</button>
    <button type="button" class="live-button">Open a saved notebook</button>
    <input type="file" accept=".ipynb" aria-label="A saved notebook" hidden>
    <span class="live-status" role="status"></span>`;
  const [save, open] = bar.querySelectorAll("button");
  const [file, status] = [bar.querySelector("input"), bar.querySelector("span")];
  const attempt = (not, act) => async () => {
    try {
      status.textContent = await act();
    } catch (error) {
      status.textContent = `Not ${not}: ${error.message}.`;
    }
  };
  save.addEventListener("click", attempt("saved", async () => {
    const name = decodeURIComponent(new URL(link.href).pathname.split("/").pop());
    saveAs(name, JSON.stringify(await filledIn(link.href, cells), null, 1) + "\n");
    return `Saved as ${name}: this is the file to hand in.`;
  }));
  open.addEventListener("click", () => file.click());
  file.addEventListener("change", attempt("opened", async () => {
    if (!file.files.length) return "";
    const [chosen] = file.files;
    const found = await readBack(link.href, await chosen.text(), cells);
    file.value = ""; // so that the same file can be opened again
    return `${found} answers are from ${chosen.name}. Reset under a cell brings back what the book had.`;
  }));
  link.closest("p").after(bar);
}
