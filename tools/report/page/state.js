// State: what is chosen, kept in the address so that a link shows the same view.
const state = { node: null, operation: null, rank: null, kind: null, q: '', from: null, to: null, heat: null, how: 'mean', theme: null };
const listeners = [];
const NUMBERS = ['node', 'rank', 'from', 'to'];
let addressTimer = 0;

function readAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  for (const name of Object.keys(state)) {
    const value = words.get(name);
    const number = Number(value);
    if (value === null) state[name] = name === 'q' ? '' : name === 'how' ? 'mean' : null;
    else if (NUMBERS.includes(name)) state[name] = Number.isFinite(number) ? number : null;
    else state[name] = value;
  }
}

function writeAddress() {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) {
    if (value === null || value === '' || (name === 'how' && value === 'mean')) continue;
    words.set(name, NUMBERS.includes(name) ? String(Math.round(value)) : value);
  }
  const text = words.toString();
  history.replaceState(null, '', text ? `#${text}` : location.pathname + location.search);
}

// Change the state and tell everyone what changed.
function choose(changes) {
  const changed = new Set(Object.keys(changes).filter((name) => state[name] !== changes[name]));
  if (changed.size === 0) return;
  Object.assign(state, changes);
  clearTimeout(addressTimer);
  addressTimer = setTimeout(writeAddress, 80);
  for (const listener of listeners) listener(changed);
}

// Hear of changes of any of the names.
function follow(names, listener) {
  listeners.push((changed) => {
    if (names.some((name) => changed.has(name))) listener(changed);
  });
}

const FILTERS = ['node', 'operation', 'q'];

function toggleNode(node, operation) {
  const same = state.node === node && state.operation === operation;
  choose({ node: same ? null : node, operation: same ? null : operation });
}

function toggleRank(rank) {
  choose({ rank: state.rank === rank ? null : rank });
}

function clearAll() {
  choose({ node: null, operation: null, rank: null, kind: null, q: '' });
}

function isFiltered() {
  return state.node !== null || state.operation !== null || state.q !== '';
}

function matchesText(...texts) {
  const word = state.q.trim().toLowerCase();
  return word === '' || texts.some((text) => text && text.toLowerCase().includes(word));
}

// Is a line of the map (a node under an operation) among what is chosen?
function matchesLine(node, operation) {
  if (state.operation !== null && operation !== state.operation) return false;
  if (state.node !== null && !isRelated(state.node, node, operation)) return false;
  if (state.q === '') return true;
  if (matchesText(operation, nodeText(node))) return true;
  return [...(stagesOf.get(`${node}:${operation}`) ?? [])].some((stage) => matchesText(nodeText(stage)));
}

// Is a look of the timeline?
function matchesLook([kind, node, visit, operation]) {
  if (state.kind !== null && KINDS[kind].id !== state.kind) return false;
  if (state.operation !== null && operation !== state.operation) return false;
  if (state.node !== null && state.node !== node && state.node !== visit) return false;
  return matchesText(operation, nodeText(node), nodeText(visit));
}

function matchesRank(rank) {
  return state.rank === null || state.rank === rank;
}
