// The graph at the step shown: drawn, moved about in, and lit.
const canvas = byId('graph');
const view = { x: 0, y: 0, scale: 1 };
let boxItems = [], edgeItems = [], hullItems = [];

const fontHeight = 13;

function elided(text, width, perCharacter) {
  const most = Math.floor(width / perCharacter);
  return text.length <= most ? text : text.slice(0, Math.max(1, most - 1)) + '…';
}

function bandPath(x, y, w, h, r) {
  return `M${x},${y + h}V${y + r}A${r},${r} 0 0 1 ${x + r},${y}H${x + w - r}A${r},${r} 0 0 1 ${x + w},${y + r}V${y + h}Z`;
}

function boxItem(graph, place) {
  const box = boxOf(graph, place), { x, y, w, h } = box;
  const item = draw('g.op', { transform: `translate(${x} ${y})` });
  if (box.family === undefined) item.classList.add('pill');
  const radius = box.family === undefined ? h / 2 : 6;
  item.append(draw('rect.halo', { x: -6, y: -6, width: w + 12, height: h + 12, rx: radius + 4 }));
  const name = draw('title');
  name.textContent = `${box.title} ${box.name}`;
  item.append(name);
  if (box.opaque) item.classList.add('opaque');
  const title = draw('text.title', { x: w / 2, y: 15.5 });
  title.textContent = elided(box.title, w - 10, 7.6);
  if (box.family === undefined) {
    item.style.setProperty('--hue', 'var(--muted)');
    item.style.setProperty('--on-hue', 'var(--surface)');
    item.append(draw('rect.band', { width: w, height: h, rx: radius }));
  } else {
    paint(item, box.family);
    const band = Math.min(h, session.bandHeight);
    item.append(draw('rect.body', { width: w, height: h, rx: radius }));
    item.append(h > band + 0.5 ? draw('path.band', { d: bandPath(0, 0, w, band, radius) })
                               : draw('rect.band', { width: w, height: h, rx: radius }));
  }
  // The frame that is lit lies over the band.
  item.append(draw('rect.body', { width: w, height: h, rx: radius, 'fill-opacity': 0 }), title);
  let at = session.bandHeight + fontHeight + 1;
  [box.subtitle, ...(box.details ?? [])].forEach((line, i) => {
    if (!line) return;
    const text = draw(i === 0 ? 'text' : 'text.detail', { x: 8, y: at });
    text.textContent = elided(line, w - 12, 6.6);
    item.append(text);
    at += session.lineHeight;
  });
  const change = (graph.changes ?? {})[place];
  if (change) {
    item.classList.add(change === '+' ? 'new' : 'changed');
    const middle = Math.min(h, session.bandHeight) / 2, sign = draw('text.badge', { x: w, y: middle + 5 });
    sign.textContent = change;
    item.append(draw('circle', { cx: w, cy: middle, r: 8 }), sign);
  }
  item.dataset.name = box.name;
  item.addEventListener('click', () => choose({ kind: 'operator', box: graph.boxes[place] }));
  return item;
}

function headOf(path) {
  const numbers = path.match(/-?[\d.]+/g).map(Number);
  const [x, y] = numbers.slice(-2);
  let [dx, dy] = [x - numbers.at(-4), y - numbers.at(-3)];
  const length = Math.hypot(dx, dy) || 1;
  [dx, dy] = [dx / length, dy / length];
  const corner = (side) => `${x - dx * 8 - dy * 3.5 * side},${y - dy * 8 + dx * 3.5 * side}`;
  return `M${x},${y}L${corner(1)}L${corner(-1)}Z`;
}

function edgeItem(graph, place) {
  const [index, from, to, verdict] = graph.edges[place];
  const edge = session.edges[index];
  const item = draw('g.edge');
  const name = draw('title');
  name.textContent = `${edge.value}: ${edge.type}`;
  item.append(name);
  for (const d of edge.paths) item.append(draw('path.line', { d }), draw('path.reach', { d }));
  item.append(draw('path.head', { d: headOf(edge.paths.at(-1)) }));
  if (edge.label) {
    const label = draw('text.label', { x: edge.label[1], y: edge.label[2] + 10 });
    label.textContent = edge.label[0];
    item.append(label);
  }
  const names = [`↓ ${boxOf(graph, to).name}`, `↑ ${boxOf(graph, from).name}`];
  for (const [end, x, y] of edge.names ?? []) {
    const text = draw('text', { x, y: y + 10, 'text-anchor': 'middle' });
    text.textContent = names[end];
    item.append(text);
  }
  if (verdict !== undefined) {
    const { fused, forced, code, mark } = session.verdicts[verdict];
    item.classList.add(fused ? 'fused' : 'apart');
    item.dataset.code = code;
    if (mark) item.append(markItem(mark, forced ? '!' : '✕', code));
  }
  item.dataset.edge = `${boxOf(graph, from).name}:${boxOf(graph, to).name}`;
  item.addEventListener('click', () => choose({ kind: 'edge', edge: place }));
  return item;
}

function markItem([x, y, codeX, codeWidth], sign, code) {
  const signText = draw('text.sign', { x, y: y + 4 });
  signText.textContent = sign;
  const item = draw('g.mark', {}, draw('circle', { cx: x, cy: y, r: 6.5 }), signText);
  if (codeX === undefined) return item;
  const codeText = draw('text.code-name', { x: codeX + 3, y: y + 4 });
  codeText.textContent = code;
  item.prepend(draw('rect.paper', { x: codeX, y: y - 8, width: codeWidth, height: 16, rx: 3 }));
  item.append(codeText);
  return item;
}

function hullItem(hull) {
  const item = draw('g.hull');
  item.style.setProperty('--hue', `var(--group-${hull.kernel % session.groupColours})`);
  for (const [x, y, width, height] of hull.frames) item.append(draw('rect', { x, y, width, height, rx: 10 }));
  item.dataset.kernel = hull.kernel;
  item.addEventListener('click', () => choose({ kind: 'kernel' }, hull.kernel));
  return item;
}

// Over the edges that enter there.
function hullTitle({ kernel, frames: [[x, y, width]] }) {
  const title = draw('text.hull-title', { x: x + 7, y: y + 13 });
  title.style.setProperty('--hue', `var(--group-${kernel % session.groupColours})`);
  title.textContent = elided(session.kernels[kernel].words[0], width - 14, 6.4);
  return title;
}

let drawn = null;
function drawGraph() {
  const graph = graphShown();
  if (drawn === graph) return;
  drawn = graph;
  canvas.replaceChildren();
  hullItems = (graph?.hulls ?? []).map(hullItem);
  edgeItems = (graph?.edges ?? []).map((_, place) => edgeItem(graph, place));
  boxItems = (graph?.boxes ?? []).map((_, place) => boxItem(graph, place));
  canvas.append(...hullItems, ...edgeItems, ...(graph?.hulls ?? []).map(hullTitle), ...boxItems);
  drawLegend(graph);
  const words = graph ? [plural(graph.operators, 'operator')] : ['this graph is left out: the page would be too large'];
  if (graph?.differences) words.push(graph.differences);
  byId('graph-words').textContent = words.join(' · ');
}

function drawLegend(graph) {
  const counts = new Map();
  for (const place of graph?.boxes ?? []) {
    const { family } = session.boxes[place];
    if (family !== undefined) counts.set(family, (counts.get(family) ?? 0) + 1);
  }
  byId('legend').replaceChildren(...[...counts].sort((a, b) => b[1] - a[1]).map(([family, count]) => {
    const swatch = make('i');
    paint(swatch, family);
    return make('span', swatch, `${session.families[family]} ${count}`);
  }));
}

function lightGraph(relations) {
  const graph = graphShown(), chosen = state.chosen;
  boxItems.forEach((item, place) => {
    const isChosen = chosen?.kind === 'operator' && graph.boxes[place] === chosen.box;
    item.classList.toggle('chosen', isChosen);
    item.classList.toggle('lit', !isChosen && idsOf(boxOf(graph, place)).some((id) => relations.operators.has(id)));
  });
  edgeItems.forEach((item, place) => item.classList.toggle('chosen', chosen?.kind === 'edge' && chosen.edge === place));
  hullItems.forEach((item) => item.classList.toggle('lit', relations.kernels.has(Number(item.dataset.kernel))));
}

// --- moving about ---

function applyView() {
  const { clientWidth, clientHeight } = canvas;
  canvas.setAttribute('viewBox', `${view.x} ${view.y} ${clientWidth / view.scale} ${clientHeight / view.scale}`);
}

function zoomAt(factor, clientX, clientY) {
  const area = canvas.getBoundingClientRect();
  const [px, py] = [clientX ?? area.x + area.width / 2, clientY ?? area.y + area.height / 2];
  const before = [view.x + (px - area.x) / view.scale, view.y + (py - area.y) / view.scale];
  view.scale = Math.min(4, Math.max(0.02, view.scale * factor));
  view.x = before[0] - (px - area.x) / view.scale;
  view.y = before[1] - (py - area.y) / view.scale;
  applyView();
}

function fit() {
  const [x, y, w, h] = graphShown()?.bounds ?? [0, 0, 1, 1], margin = 20;
  view.scale = Math.min(1, (canvas.clientWidth - 2 * margin) / w, (canvas.clientHeight - 2 * margin) / h);
  view.x = x + w / 2 - canvas.clientWidth / view.scale / 2;
  view.y = y + h / 2 - canvas.clientHeight / view.scale / 2;
  applyView();
}

// All of it where that can be read, else its beginning.
function showBeginning() {
  fit();
  if (view.scale >= 0.6 || !graphShown()) return;
  const [x, y, w] = graphShown().bounds;
  view.scale = Math.max(0.6, Math.min(1, (canvas.clientWidth - 40) / w));
  const first = Math.min(...graphShown().boxes.map((place) => session.boxes[place].y));
  const top = graphShown().boxes.map((place) => session.boxes[place]).find((box) => box.y === first);
  const middle = w * view.scale <= canvas.clientWidth ? x + w / 2 : top.x + top.w / 2;
  view.x = middle - canvas.clientWidth / view.scale / 2;
  view.y = y - 20 / view.scale;
  applyView();
}

function centreOn(x, y) {
  if (view.scale < 0.5) view.scale = 0.8;
  view.x = x - canvas.clientWidth / view.scale / 2;
  view.y = y - canvas.clientHeight / view.scale / 2;
  applyView();
}

function isInView({ x, y, w, h }) {
  return x >= view.x && y >= view.y && x + w <= view.x + canvas.clientWidth / view.scale &&
         y + h <= view.y + canvas.clientHeight / view.scale;
}

function reveal(box) {
  if (!isInView(box) || view.scale < 0.3) centreOn(box.x + box.w / 2, box.y + box.h / 2);
}

function around(boxes) {
  const x = Math.min(...boxes.map((box) => box.x)), y = Math.min(...boxes.map((box) => box.y));
  return { x, y, w: Math.max(...boxes.map((box) => box.x + box.w)) - x, h: Math.max(...boxes.map((box) => box.y + box.h)) - y };
}

function neighbour(place, key) {
  const graph = graphShown(), here = boxOf(graph, place);
  let best = null, least = Infinity;
  const consider = (other, distance) => { if (distance < least) [best, least] = [other, distance]; };
  const offset = (other) => {
    const there = boxOf(graph, other);
    return [there.x + there.w / 2 - here.x - here.w / 2, there.y + there.h / 2 - here.y - here.h / 2];
  };
  if (key === 'ArrowDown' || key === 'ArrowUp') {
    for (const [, from, to] of graph.edges) {
      const [mine, other] = key === 'ArrowDown' ? [from, to] : [to, from];
      if (mine === place) consider(other, Math.hypot(...offset(other)));
    }
  } else {
    const side = key === 'ArrowRight' ? 1 : -1;
    graph.boxes.forEach((_, other) => {
      const [dx, dy] = offset(other);
      if (dx * side > 1 && Math.abs(dy) < 60) consider(other, Math.hypot(dx, 3 * dy));
    });
  }
  return best;
}

function graphKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const graph = graphShown();
  const place = state.chosen?.kind === 'operator' ? graph.boxes.indexOf(state.chosen.box) : -1;
  if (event.key.startsWith('Arrow')) {
    const next = place < 0 ? 0 : neighbour(place, event.key);
    if (next !== null && graph.boxes.length) choose({ kind: 'operator', box: graph.boxes[next] });
  } else if (event.key === '+' || event.key === '=') zoomAt(1.25);
  else if (event.key === '-') zoomAt(0.8);
  else if (event.key === '0') fit();
  else if (event.key === 'Home') showBeginning();
  else if (event.key === 'Enter' && place >= 0) {
    const box = boxOf(graph, place);
    centreOn(box.x + box.w / 2, box.y + box.h / 2);
  } else return;
  event.preventDefault();
}

function followPointer() {
  let from = null, dragged = false;
  canvas.addEventListener('pointerdown', (event) => {
    from = [event.clientX, event.clientY];
    dragged = false;
  });
  window.addEventListener('pointermove', (event) => {
    if (!from) return;
    const [dx, dy] = [event.clientX - from[0], event.clientY - from[1]];
    if (!dragged && Math.abs(dx) + Math.abs(dy) < 4) return;
    dragged = true;
    canvas.classList.add('dragged');
    view.x -= dx / view.scale;
    view.y -= dy / view.scale;
    from = [event.clientX, event.clientY];
    applyView();
  });
  window.addEventListener('pointerup', () => {
    from = null;
    canvas.classList.remove('dragged');
  });
  // The click at the end of a drag chooses nothing.
  canvas.addEventListener('click', (event) => { if (dragged) event.stopPropagation(); }, true);
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    zoomAt(1.0015 ** -event.deltaY, event.clientX, event.clientY);
  }, { passive: false });
  canvas.addEventListener('click', (event) => { if (event.target === canvas) choose(null); });
  canvas.addEventListener('keydown', graphKey);
  byId('zoom-in').addEventListener('click', () => zoomAt(1.25));
  byId('zoom-out').addEventListener('click', () => zoomAt(0.8));
  byId('zoom-fit').addEventListener('click', fit);
  new ResizeObserver(applyView).observe(canvas);
}
