// How what is chosen relates to the operators of the graph, the kernels and the lines of their texts:
// one level at a time, as in the window. Loop nests name operators, machine code names lines of the
// lowered nest. Operators go by their ids in the last graph, which kernels are made of.

// What a box of any step is in the last graph.
const idsOf = (box) => box.last ?? (box.id === undefined ? [] : [box.id]);

// The lines of a nest that do the work of these operators; ranges are from, to, from, to, ...
function linesOfOperators(nest, ids) {
  const found = new Set();
  for (const id of ids) {
    const ranges = nest?.of[id] ?? [];
    for (let i = 0; i < ranges.length; i += 2)
      for (let line = ranges[i]; line <= ranges[i + 1]; ++line) found.add(line);
  }
  return found;
}

// A line of a nest is [text, first and last line of its statement, what it introduces, its operators].
function statement(nest, line) {
  const found = new Set();
  for (let at = line; at <= Math.max(line, nest.lines[line - 1][2]); ++at) found.add(at);
  return found;
}

function operatorsOfStatement(nest, line) {
  const found = new Set();
  const [, first, last] = nest.lines[line - 1];
  for (let at = first; at <= last; ++at) for (const id of nest.lines[at - 1][4]) found.add(id);
  return found;
}

const lineOfEntity = (nest, entity) => (entity ? nest.lines.findIndex((line) => line[3] === entity) + 1 : 0);

const linesWhere = (lines, wanted) => new Set(lines.flatMap((line, i) => (wanted(line) ? [i + 1] : [])));

// Of te, scheduled, lowered, llvm and asm, which lines are related; and which operators and kernels.
function related() {
  const result = { operators: new Set(), kernels: new Set(), lines: {} };
  const chosen = state.chosen, kernel = kernelShown();
  if (!chosen || !kernel) return result;
  if (chosen.kind === 'operator') {
    for (const id of idsOf(session.boxes[chosen.box])) result.operators.add(id);
  } else if (chosen.kind === 'edge') {
    const graph = graphShown(), [, from, to] = graph.edges[chosen.edge];
    for (const end of [from, to]) for (const id of idsOf(boxOf(graph, end))) result.operators.add(id);
  } else if (chosen.kind === 'kernel') {
    result.kernels.add(state.kernel);
    for (const id of kernel.operators) result.operators.add(id);
  } else {
    relateLine(kernel, chosen, result);
  }
  for (const id of result.operators) {
    const owner = session.operators[id]?.kernel;
    if (owner !== undefined) result.kernels.add(owner);
  }
  if (chosen.kind === 'operator' || chosen.kind === 'edge') {
    const own = [...result.operators].filter((id) => kernel.operators.includes(id));
    result.lines.te = linesWhere(kernel.te ?? [], (line) => line[1].some((id) => own.includes(id)));
    result.lines.scheduled = linesOfOperators(kernel.scheduled, own);
    relateMachineCode(kernel, linesOfOperators(kernel.lowered, own), result);
  }
  return result;
}

function relateMachineCode(kernel, lowered, result) {
  result.lines.lowered = new Set([...(result.lines.lowered ?? []), ...lowered]);
  for (const pane of ['llvm', 'asm'])
    result.lines[pane] = linesWhere(kernel[pane] ?? [], (line) => line[1] !== 0 && lowered.has(line[1]));
}

function relateLine(kernel, { pane, line }, result) {
  const nests = { scheduled: kernel.scheduled, lowered: kernel.lowered };
  result.kernels.add(state.kernel);
  let lowered = new Set();
  if (pane === 'te') {
    for (const id of kernel.te[line - 1][1]) result.operators.add(id);
    result.lines.scheduled = linesOfOperators(kernel.scheduled, result.operators);
    lowered = linesOfOperators(kernel.lowered, result.operators);
  } else if (nests[pane]) {
    const nest = nests[pane], entity = nest.lines[line - 1][3];
    result.operators = operatorsOfStatement(nest, line);
    for (const [name, other] of Object.entries(nests)) {
      if (!other) continue;
      const same = name === pane ? line : lineOfEntity(other, entity);
      result.lines[name] = same ? statement(other, same) : linesOfOperators(other, result.operators);
    }
    lowered = result.lines.lowered ?? lowered;
  } else {
    const loopLine = kernel[pane][line - 1][1];
    if (!kernel.lowered || loopLine < 1 || loopLine > kernel.lowered.lines.length) {
      result.lines[pane] = new Set([line]);
      return;  // no mapping
    }
    lowered = new Set([loopLine]);
    result.operators = operatorsOfStatement(kernel.lowered, loopLine);
    const same = kernel.scheduled && lineOfEntity(kernel.scheduled, kernel.lowered.lines[loopLine - 1][3]);
    result.lines.scheduled = same ? new Set([same]) : linesOfOperators(kernel.scheduled, result.operators);
  }
  relateMachineCode(kernel, lowered, result);
  result.lines.te = linesWhere(kernel.te ?? [], (entry) => entry[1].some((id) => result.operators.has(id)));
  (result.lines[pane] ??= new Set()).add(line);
}
