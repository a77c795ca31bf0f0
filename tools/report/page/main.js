// Main: puts the page together.
const darkMedia = matchMedia('(prefers-color-scheme: dark)');

function applyTheme(theme) {
  document.documentElement.dataset.theme = theme;
  redrawAll();
}

function currentTheme() {
  return state.theme ?? (darkMedia.matches ? 'dark' : 'light');
}

function toggleTheme() {
  choose({ theme: currentTheme() === 'dark' ? 'light' : 'dark' });
}

function showChips() {
  const chip = (text, changes) => make('button', { type: 'button', class: 'chip', 'aria-label': `no longer only ${text}`, onclick: () => choose(changes) }, `${text} ×`);
  get('chips').replaceChildren(
    ...[
      state.node !== null ? chip(`${state.operation ? `${state.operation}: ` : ''}${nodeText(state.node)}`, { node: null, operation: null }) : '',
      state.rank !== null ? chip(`rank ${state.rank}`, { rank: null }) : '',
      state.kind !== null ? chip(KINDS.find((kind) => kind.id === state.kind)?.name ?? state.kind, { kind: null }) : '',
    ].filter(Boolean),
  );
}

function listen() {
  const filter = get('filter');
  filter.addEventListener('input', () => choose({ q: filter.value }));
  follow(['q'], () => { if (filter.value !== state.q) filter.value = state.q; });
  follow([...FILTERS, 'rank', 'kind'], showChips);
  follow(['theme'], () => applyTheme(currentTheme()));
  get('theme').addEventListener('click', toggleTheme);
  get('help').addEventListener('click', showKeys);
  document.addEventListener('keydown', globalKeys);
  darkMedia.addEventListener('change', () => applyTheme(currentTheme()));
  addEventListener('beforeprint', () => applyTheme('light'));
  addEventListener('afterprint', () => applyTheme(currentTheme()));
  addEventListener('scroll', hideTip, { passive: true });
  for (const anchor of document.querySelectorAll('nav a, .skip'))
    anchor.addEventListener('click', (event) => { // the address holds the state
      event.preventDefault();
      get(anchor.getAttribute('href').slice(1)).scrollIntoView({ block: 'start' });
    });
  addEventListener('hashchange', () => {
    const before = { ...state };
    readAddress();
    const after = { ...state };
    Object.assign(state, before);
    choose(after);
  });
}

function begin() {
  readAddress();
  document.documentElement.dataset.theme = currentTheme();
  get('filter').value = state.q;
  listen();
  for (const show of [showVerdict, showSource, showPath, showHeat, showCalls, showTimeline, showDelays, showTable, showConveyors, showUnder, showFooter]) show();
  for (const anchor of document.querySelectorAll('nav a')) anchor.hidden = get(anchor.getAttribute('href').slice(1)).hidden;
  showChips();
  // Two frames on, all is drawn: in ms since the navigation began.
  requestAnimationFrame(() => requestAnimationFrame(() => { document.documentElement.dataset.ready = performance.now().toFixed(0); }));
}

begin();
