// The texts of the kernel shown, line by line, each in the colour of the operator it came from.
const panes = {
  nest: { root: byId('nest-pane'), tabs: { te: 'Expressions', schedule: 'Schedule', scheduled: 'Scheduled', lowered: 'Loop nest' }, shown: 'lowered' },
  machine: { root: byId('machine-pane'), tabs: { llvm: 'LLVM IR', asm: 'Assembly' }, shown: 'asm' },
};

const paneOf = (text) => Object.values(panes).find((pane) => text in pane.tabs);

// [text, ids of operators] for each line, whichever text it is.
function linesOfText(kernel, text) {
  if (text === 'te') return kernel.te?.map(([line, ids]) => [line, ids]);
  if (text === 'schedule') return kernel.schedule?.map((line) => [line, []]);
  if (text === 'scheduled' || text === 'lowered') return kernel[text]?.lines.map((line) => [line[0], line[4]]);
  return kernel[text]?.map(([line, loopLine]) => [line, loopLine && kernel.lowered ? kernel.lowered.lines[loopLine - 1][4] : []]);
}

function showText(pane) {
  const kernel = kernelShown(), list = pane.root.querySelector('.code');
  list.setAttribute('aria-label', pane.tabs[pane.shown]);
  list.dataset.text = pane.shown;
  const lines = kernel && linesOfText(kernel, pane.shown);
  if (!lines?.length) {
    list.replaceChildren(make('li.none', kernel?.missing ?? kernel?.omitted?.[pane.shown] ?? 'There is nothing to show.'));
    return;
  }
  list.replaceChildren(...lines.map(([text, ids], i) => {
    const line = make('li', text);
    line.dataset.line = i + 1;
    line.setAttribute('role', 'option');
    const family = session.operators[ids[0]]?.family;
    if (family !== undefined) paint(line, family);
    return line;
  }));
}

function showTexts() {
  for (const pane of Object.values(panes)) {
    for (const tab of pane.root.querySelectorAll('.tabs button'))
      tab.setAttribute('aria-selected', tab.dataset.text === pane.shown);
    showText(pane);
  }
}

function lightTexts(relations) {
  const chosen = state.chosen;
  const ids = [...relations.operators].filter((id) => kernelShown()?.operators.includes(id));
  const operator = chosen?.kind === 'operator' || chosen?.kind === 'edge' ? ids : null;
  for (const pane of Object.values(panes)) {
    const lit = relations.lines[pane.shown] ?? new Set();
    const lines = kernelShown() && linesOfText(kernelShown(), pane.shown);
    let first = null;
    for (const item of pane.root.querySelectorAll('.code li[data-line]')) {
      const number = Number(item.dataset.line), on = lit.has(number);
      item.classList.toggle('lit', on);
      const isChosen = chosen?.kind === 'line' && chosen.pane === pane.shown && chosen.line === number;
      item.classList.toggle('chosen', isChosen);
      item.setAttribute('aria-selected', isChosen);
      // A statement of several operators has the colour of the one that was asked for.
      const own = lines[number - 1][1];
      const id = operator?.find((wanted) => own.includes(wanted)) ?? own[0] ?? (on ? ids[0] : undefined);
      const family = session.operators[id]?.family;
      if (family !== undefined) paint(item, family); else item.style.removeProperty('--hue');
      if (on && !first) first = item;
      if (isChosen) first = item;
    }
    if (first) scrollTo(pane.root.querySelector('.code'), first);
  }
}

function scrollTo(list, item) {
  const top = item.offsetTop - list.offsetTop;
  if (top < list.scrollTop || top + item.offsetHeight > list.scrollTop + list.clientHeight)
    list.scrollTop = top - list.clientHeight / 3;
}

function prepareTexts() {
  for (const pane of Object.values(panes)) {
    const tabs = pane.root.querySelector('.tabs'), list = pane.root.querySelector('.code');
    for (const [text, title] of Object.entries(pane.tabs)) {
      const tab = make('button', title);
      tab.type = 'button';
      tab.dataset.text = text;
      tab.setAttribute('role', 'tab');
      tab.addEventListener('click', () => { pane.shown = text; showTexts(); light(); });
      tabs.append(tab);
    }
    const chooseLine = (line) => choose({ kind: 'line', pane: pane.shown, line });
    list.addEventListener('click', (event) => {
      const item = event.target.closest('li[data-line]');
      if (item && pane.shown !== 'schedule') chooseLine(Number(item.dataset.line));
    });
    list.addEventListener('keydown', (event) => {
      const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[event.key];
      if (!by || pane.shown === 'schedule') return;
      event.preventDefault();
      const count = list.querySelectorAll('li[data-line]').length;
      const now = state.chosen?.kind === 'line' && state.chosen.pane === pane.shown ? state.chosen.line
                                                                                    : Number(list.querySelector('li.lit')?.dataset.line ?? 0);
      if (count) chooseLine(Math.min(count, Math.max(1, now + by)));
    });
  }
}
