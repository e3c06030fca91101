// The session, and how elements are made. Texts of the session are set as text, never as markup: names
// come from files.
const session = JSON.parse(document.getElementById('session').textContent);

const byId = (id) => document.getElementById(id);

// make('p.quiet', 'text', child): strings become text.
function make(kind, ...children) {
  const [tag, ...classes] = kind.split('.');
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(' ');
  element.append(...children);
  return element;
}

function draw(kind, attributes = {}, ...children) {
  const [tag, ...classes] = kind.split('.');
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  if (classes.length) element.setAttribute('class', classes.join(' '));
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// The colour of an operator family, for what is inside the element.
function paint(element, family) {
  element.style.setProperty('--hue', `var(--family-${family})`);
  element.style.setProperty('--on-hue', `var(--on-family-${family})`);
}

const plural = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;

// What is shown and chosen. `chosen` is null, or one of
//   {kind: 'operator', box}           a place in session.boxes
//   {kind: 'edge', edge}              a place in the edges of the graph shown
//   {kind: 'kernel'}                  the kernel shown
//   {kind: 'line', pane, line}        1-based, of the kernel shown
const state = { step: session.step, kernel: session.kernel, chosen: null };

const graphOfStep = (step) => session.graphs[session.steps[step].graph];
const graphShown = () => graphOfStep(state.step);
const kernelShown = () => session.kernels[state.kernel];
const boxOf = (graph, place) => session.boxes[graph.boxes[place]];
