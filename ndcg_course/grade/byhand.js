const all = (where, what) => [...where.querySelectorAll(what)];
const rubrics = Object.fromEntries(all(document, '.rubric').map(r => [r.dataset.task, r]));
const items = task => all(rubrics[task], 'li').map(li => [li.querySelector('.name').value.trim(),
  parseFloat(li.querySelector('.worth').value)]);
function ticked(answer) { return all(answer, '.ticks input').map(box => box.checked); }
function count(answer) {
  const task = answer.dataset.task, found = items(task), on = ticked(answer);
  if (!on.some(x => x)) return;
  const sum = found.reduce((s, [, worth], i) => s + (on[i] && !isNaN(worth) ? worth : 0), 0);
  answer.querySelector('.mark').value = Math.max(0, Math.min(sum, parseFloat(rubrics[task].dataset.most)));
}
function draw(answer) {
  const on = ticked(answer), place = answer.querySelector('.ticks');
  place.replaceChildren(...items(answer.dataset.task).map(([name, worth], i) => {
    const label = document.createElement('label'), box = document.createElement('input');
    box.type = 'checkbox'; box.checked = !!on[i];
    box.addEventListener('change', () => count(answer));
    label.append(box, ` ${name} (${isNaN(worth) ? '?' : worth}) `);
    return label;
  }));
  count(answer);
}
const answers = all(document, '.answer');
const redraw = task => answers.filter(a => a.dataset.task === task).forEach(draw);
for (const [task, rubric] of Object.entries(rubrics)) {
  rubric.addEventListener('input', () => redraw(task));
  rubric.querySelector('.more').addEventListener('click', () => {
    const line = document.createElement('li'), name = document.createElement('input'), worth = name.cloneNode();
    name.className = 'name'; name.size = 50; name.setAttribute('aria-label', 'item');
    worth.className = 'worth'; worth.type = 'number'; worth.step = 0.25; worth.setAttribute('aria-label', 'points');
    line.append(name, ' ', worth, ' points');
    rubric.querySelector('ul').append(line); name.focus(); redraw(task);
  });
  redraw(task);
}
const cell = text => '"' + String(text).replace(/"/g, '""') + '"';
function list() {
  const rows = [['student', 'task', 'mark', 'max', 'comment']];
  for (const answer of answers) {
    const task = answer.dataset.task, mark = answer.querySelector('.mark').value, on = ticked(answer);
    if (mark === '') continue;
    const said = items(task).filter((_, i) => on[i]).map(([name]) => name);
    const comment = [...said, answer.querySelector('.comment').value].filter(x => x).join('; ');
    for (const student of JSON.parse(answer.dataset.students))
      rows.push([student, task, mark, rubrics[task].dataset.most, comment]);
  }
  return rows.map(row => row.map(cell).join(',') + '\r\n').join('');
}
document.getElementById('save').addEventListener('click', () => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([list()], {type: 'text/csv'}));
  link.download = 'marks.csv'; if (parent === window) link.click();
  document.getElementById('state').textContent = `${list().trim().split('\r\n').length - 1} marks saved.`;
  if (parent !== window) parent.postMessage({marks: list()}, '*');  // the page of the book that grades takes them
  saved = true;
});
let saved = true;  // a tab that is closed or loaded again asks first, when there is something to lose
document.addEventListener('input', () => { saved = false; });
addEventListener('beforeunload', event => { if (!saved) event.preventDefault(); });
