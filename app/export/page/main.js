// Choosing, searching, and the address of what is shown: page.html#step=5&operator=conv1, #edge=a:b,
// #kernel=3, #kernel=3&line=asm:12.

function light() {
  const relations = related();
  lightGraph(relations);
  lightTexts(relations);
  showCard(relations);
}

function showKernel(kernel) {
  if (kernel === undefined || kernel < 0 || kernel === state.kernel) return;
  state.kernel = kernel;
  showTexts();
  showKernelWords();
}

// The kernel that the chosen thing belongs to is shown, unless the one that is shown is among several.
function kernelFor(chosen) {
  const graph = graphShown();
  const boxes = chosen?.kind === 'operator' ? [session.boxes[chosen.box]]
              : chosen?.kind === 'edge' ? [1, 2].map((end) => boxOf(graph, graph.edges[chosen.edge][end])) : [];
  const owners = boxes.flatMap(idsOf).map((id) => session.operators[id]?.kernel).filter((owner) => owner !== undefined);
  return owners.includes(state.kernel) ? state.kernel : owners.at(-1);
}

function choose(chosen, kernel = kernelFor(chosen)) {
  state.chosen = chosen;
  showKernel(kernel);
  light();
  if (chosen?.kind === 'operator') reveal(session.boxes[chosen.box]);
  if (chosen?.kind === 'edge') reveal(around([1, 2].map((end) => boxOf(graphShown(), graphShown().edges[chosen.edge][end]))));
  if (chosen?.kind === 'kernel' && session.kernels[state.kernel]) {
    const place = graphShown()?.boxes.find((at) => idsOf(session.boxes[at]).some((id) => kernelShown().operators.includes(id)));
    if (place !== undefined) reveal(session.boxes[place]);
  }
  writeAddress();
}

function goToStep(step) {
  step = Math.min(session.steps.length - 1, Math.max(0, step));
  if (step === state.step) return;
  const chosen = state.chosen?.kind === 'operator' ? session.boxes[state.chosen.box] : null;
  state.step = step;
  drawGraph();
  search();
  showStep();
  // An operator stays chosen where the other graph has it, or what it became.
  const same = chosen && graphShown()?.boxes.find((at) => session.boxes[at].name === chosen.name && session.boxes[at].id === chosen.id);
  if (chosen || state.chosen?.kind === 'edge') choose(same === undefined || same === null ? null : { kind: 'operator', box: same });
  else { light(); writeAddress(); }
}

function showStep() {
  for (const item of byId('steps').children) item.setAttribute('aria-selected', Number(item.dataset.step) === state.step);
  const item = byId('steps').children[state.step];
  if (item) scrollTo(byId('steps'), item);
  showStepNotes();
}

// --- the address ---

let written = null;
function writeAddress() {
  const words = new URLSearchParams(), chosen = state.chosen;
  if (state.step !== session.step) words.set('step', state.step);
  if (chosen?.kind === 'operator') words.set('operator', session.boxes[chosen.box].name);
  if (chosen?.kind === 'edge') {
    const [, from, to] = graphShown().edges[chosen.edge];
    words.set('edge', `${boxOf(graphShown(), from).name}:${boxOf(graphShown(), to).name}`);
  }
  if (chosen?.kind === 'kernel' || chosen?.kind === 'line') words.set('kernel', state.kernel);
  if (chosen?.kind === 'line') words.set('line', `${chosen.pane}:${chosen.line}`);
  written = '#' + words;
  history.replaceState(null, '', written);
}

function readAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  const step = words.get('step'), graphOf = () => graphShown();
  if (step !== null && session.steps[Number(step)]) goToStep(Number(step));
  let chosen = null, kernel;
  if (words.has('operator')) {
    const named = (graph) => graph?.boxes.find((at) => session.boxes[at].name === words.get('operator'));
    // Where the step shown does not have it, the last one that does.
    if (named(graphOf()) === undefined)
      for (let other = session.steps.length - 1; other >= 0; --other)
        if (named(graphOfStep(other)) !== undefined) { goToStep(other); break; }
    const box = named(graphOf());
    if (box !== undefined) chosen = { kind: 'operator', box };
  } else if (words.has('edge')) {
    const graph = graphOf();
    const edge = graph?.edges.findIndex(([, from, to]) => `${boxOf(graph, from).name}:${boxOf(graph, to).name}` === words.get('edge'));
    if (edge >= 0) chosen = { kind: 'edge', edge };
  } else if (words.has('kernel')) {
    const wanted = words.get('kernel');
    const named = session.kernels.findIndex((one) => one.name === wanted);
    kernel = named >= 0 ? named : Number(wanted);
    if (session.kernels[kernel]) chosen = { kind: 'kernel' };
    else kernel = undefined;
    const [text, line] = (words.get('line') ?? '').split(':');
    if (chosen && session.kernels[kernel][text] && Number(line) >= 1) {
      paneOf(text).shown = text;
      state.kernel = -1;
      const count = linesOfText(session.kernels[kernel], text).length;
      if (Number(line) <= count) chosen = { kind: 'line', pane: text, line: Number(line) };
    }
  }
  choose(chosen, kernel ?? kernelFor(chosen));
}

// --- searching ---

let found = [], at = -1;
function search() {
  const text = byId('search').value.trim().toLowerCase(), graph = graphShown();
  found = [];
  at = -1;
  boxItems.forEach((item, place) => {
    const box = boxOf(graph, place);
    const match = text !== '' && `${box.title} ${box.name}`.toLowerCase().includes(text);
    item.classList.toggle('found', match);
    if (match) found.push(graph.boxes[place]);
  });
  byId('found').textContent = text === '' ? '' : `${found.length} found`;
}

function goToFound(by) {
  if (!found.length) return;
  at = (at + by + found.length) % found.length;
  byId('found').textContent = `${at + 1} of ${found.length}`;
  choose({ kind: 'operator', box: found[at] });
}

// --- the beginning ---

function prepareSteps() {
  let before = null;
  byId('steps').append(...session.steps.map((step, number) => {
    const item = make('li', make('span.quiet', String(number)), make('span.name', step.pass));
    if (before !== null && step.operators !== before)
      item.append(make('span.delta', `${step.operators > before ? '+' : '−'}${Math.abs(step.operators - before)}`));
    else if (!step.changed && number > 0) item.classList.add('idle');
    before = step.operators;
    item.dataset.step = number;
    item.title = `${step.pass}: ${step.doc}`;
    item.setAttribute('role', 'option');
    item.addEventListener('click', () => goToStep(number));
    return item;
  }));
  byId('steps').addEventListener('keydown', (event) => {
    const to = { ArrowDown: state.step + 1, ArrowUp: state.step - 1, Home: 0, End: session.steps.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    goToStep(to);
  });
}

function prepareKernels() {
  byId('kernels').append(...session.kernels.map((kernel, number) => {
    const option = make('option', `${number} ${kernel.words[0]}`);
    option.value = number;
    option.title = kernel.name;
    return option;
  }));
  byId('kernels').addEventListener('change', (event) => choose({ kind: 'kernel' }, Number(event.target.value)));
}

byId('title').textContent = session.title;
byId('facts').textContent = byId('facts').title = session.facts.join(' · ');
prepareSteps();
prepareKernels();
prepareTexts();
followPointer();
byId('search').addEventListener('input', search);
byId('search').addEventListener('keydown', (event) => {
  if (event.key === 'Enter') goToFound(event.shiftKey ? -1 : 1);
  if (event.key === 'Escape') { byId('search').value = ''; search(); canvas.focus(); }
});
document.addEventListener('keydown', (event) => {
  const typing = event.target.matches?.('input, select');
  if (event.key === '/' && !typing) { event.preventDefault(); byId('search').focus(); }
  if (event.key === 'Escape' && !typing) choose(null);
});
window.addEventListener('hashchange', () => { if (location.hash !== written) readAddress(); });
drawGraph();
showTexts();
showKernelWords();
showStep();
showBeginning();
readAddress();
document.documentElement.dataset.ready = 'yes';
