// What is said in words: of the step shown, of what is chosen, and of the kernel shown.
const card = byId('card');

function row(...cells) {
  return make('tr', ...cells.map((cell) => make('td', cell)));
}

function button(text, act) {
  const element = make('button', text);
  element.type = 'button';
  element.addEventListener('click', act);
  return element;
}

function edgeButton(graph, place, end) {
  const [, from, to, verdict] = graph.edges[place];
  const told = verdict === undefined ? '' : ` ${session.verdicts[verdict].code}`;
  const element = button(boxOf(graph, end === 'from' ? from : to).name + told, () => choose({ kind: 'edge', edge: place }));
  if (verdict !== undefined) element.classList.add(session.verdicts[verdict].fused ? 'good' : 'apart');
  return element;
}

function operatorCard(box) {
  const graph = graphShown(), place = graph.boxes.indexOf(state.chosen.box);
  const name = make('b', box.title);
  const parts = [make('p', name, ` ${box.name}`)];
  if (box.doc) parts.push(make('p.quiet', box.doc));
  const table = make('table');
  for (const [key, value] of box.attributes ?? []) table.append(row(key, make('code', value)));
  if (box.onnx?.length) table.append(row('from ONNX', box.onnx.join(', ')));
  const kernel = box.kernel;
  if (kernel !== undefined)
    table.append(row('kernel', button(session.kernels[kernel].words[0], () => choose({ kind: 'kernel' }, kernel))));
  const reads = make('td'), read = make('td');
  graph.edges.forEach(([, from, to], edge) => {
    if (to === place) reads.append(edgeButton(graph, edge, 'from'));
    if (from === place) read.append(edgeButton(graph, edge, 'to'));
  });
  if (reads.childNodes.length) table.append(make('tr', make('td', 'reads'), reads));
  if (read.childNodes.length) table.append(make('tr', make('td', 'read by'), read));
  return [...parts, table];
}

function edgeCard(graph, place) {
  const [index, from, to, verdict] = graph.edges[place], edge = session.edges[index];
  const end = (at) => button(boxOf(graph, at).name, () => choose({ kind: 'operator', box: graph.boxes[at] }));
  const parts = [make('p', end(from), '→ ', end(to)), make('p', edge.value, ' ', make('code', edge.type))];
  if (verdict === undefined) {
    parts.push(make('p.quiet', graph.last ? 'No two operators meet here: there is nothing to fuse.'
                                                               : 'Verdicts are told on the last graph.'));
    return parts;
  }
  const { fused, forced, code, condition, sentence, numbers } = session.verdicts[verdict];
  parts.push(make('p', make(fused ? 'span.good' : 'span.apart', fused ? '✓ fused' : '✕ not fused'), ' ',
                  make('span.code-name', code), forced ? ' (asked for by hand)' : '', ' ', sentence));
  if (condition) parts.push(make('p', make('code', condition)));
  if (numbers.length) parts.push(make('p.quiet', numbers.join(' · ')));
  if (session.reasons[code]) parts.push(make('p.quiet', `${code}: ${session.reasons[code]}`));
  return parts;
}

function kernelCard(kernel) {
  const parts = [make('p', make('b', kernel.words[0])), make('p.quiet', kernel.name)];
  const members = kernel.operators.map((id) => {
    const box = graphShown()?.boxes.find((place) => session.boxes[place].id === id);
    return box === undefined ? make('span', session.operators[id].name + ' ') : button(session.operators[id].name, () => choose({ kind: 'operator', box }));
  });
  parts.push(make('p', ...members));
  if (kernel.remarks) for (const remark of kernel.remarks) parts.push(make('p.quiet', remark));
  return parts;
}

function lineCard(kernel, { pane, line }, relations) {
  const parts = [make('p', `${paneOf(pane).tabs[pane]}, line ${line}`)];
  if (!relations.operators.size) {
    parts.push(make('p.quiet', 'No mapping: nothing is known of where this line came from.'));
    return parts;
  }
  parts.push(make('p', 'from ', ...[...relations.operators].map((id) => {
    const box = graphShown()?.boxes.find((place) => idsOf(session.boxes[place]).includes(id));
    const name = session.operators[id]?.name ?? String(id);
    return box === undefined ? make('span', name + ' ') : button(name, () => choose({ kind: 'operator', box }));
  })));
  return parts;
}

function showCard(relations) {
  const chosen = state.chosen, graph = graphShown();
  card.hidden = !chosen;
  if (!chosen) return;
  if (chosen.kind === 'operator') card.replaceChildren(...operatorCard(session.boxes[chosen.box]));
  else if (chosen.kind === 'edge') card.replaceChildren(...edgeCard(graph, chosen.edge));
  else if (chosen.kind === 'kernel') card.replaceChildren(...kernelCard(kernelShown()));
  else card.replaceChildren(...lineCard(kernelShown(), chosen, relations));
  card.scrollTop = 0;
}

function showStepNotes() {
  const step = session.steps[state.step];
  const notes = [make('p', make('b', step.pass)), make('p.quiet', step.doc)];
  if (step.rules.length) {
    const table = make('table');
    for (const [rule, count] of step.rules) table.append(row(`${count} ×`, rule));
    notes.push(make('p', plural(step.rewrites, 'rewrite')), table);
  } else if (state.step > 0) {
    notes.push(make('p.quiet', 'Nothing to do.'));
  }
  for (const { kind, code, entity, text } of step.remarks)
    notes.push(make('p', make('span.code-name', code), ` ${kind} `, make('span.quiet', `${entity}: `), text));
  if (step.moreRemarks) notes.push(make('p.quiet', `and ${plural(step.moreRemarks, 'remark')} more`));
  byId('step-notes').replaceChildren(...notes);
}

function showKernelWords() {
  const kernel = kernelShown();
  byId('kernels').value = state.kernel;
  byId('kernel-words').textContent = kernel ? [kernel.name, ...kernel.words.slice(1)].join(' · ') : '';
  byId('kernel-words').title = byId('kernel-words').textContent;
}
