// Keys: the ones that work everywhere, and the list of all.
const KEY_LIST = [
  ['/', 'filter'],
  ['Esc', 'clear the filter and what is chosen'],
  ['Tab', 'go on to the next chart, button or row'],
  ['Enter', 'choose: a line, a box, a row, a rank, a cell'],
  ['← → ↑ ↓', 'move in the timeline and the heat map'],
  ['Shift ← →', 'move the timeline; ten columns in the heat map'],
  ['+ − 0', 'zoom the timeline in, out, to the whole run'],
  ['t', 'light or dark'],
  ['?', 'this list'],
];

function showKeys() {
  const dialog = get('keys');
  dialog.replaceChildren(make('h2', {}, 'Keys'), make('dl', {}, KEY_LIST.map(([key, what]) => [make('dt', {}, make('kbd', {}, key)), make('dd', {}, what)])), make('form', { method: 'dialog' }, make('button', {}, 'Close')));
  if (!dialog.open) dialog.showModal();
}

function globalKeys(event) {
  const typing = event.target.matches?.('input, select, textarea');
  if (event.ctrlKey || event.metaKey || event.altKey || get('keys').open) return;
  if (event.key === 'Escape') {
    get('filter').value = '';
    get('filter').blur();
    hideTip();
    clearAll();
  } else if (typing) return;
  else if (event.key === '/') get('filter').focus();
  else if (event.key === '?') showKeys();
  else if (event.key === 't') toggleTheme();
  else return;
  event.preventDefault();
}
