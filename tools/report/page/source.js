// Source: the map as it is written, with a bar for each line that says where its time went.
function legend(interactive) {
  const swatch = (id) => make('i', { class: 'swatch', style: `background:var(--${id})` });
  const kinds = KINDS.map((kind) => {
    if (!interactive) return make('span', { title: kind.help }, swatch(kind.id), kind.name);
    const button = make('button', { type: 'button', 'aria-pressed': 'false', title: kind.help, 'data-kind': kind.id }, swatch(kind.id), kind.name);
    button.addEventListener('click', () => choose({ kind: state.kind === kind.id ? null : kind.id }));
    follow(['kind'], () => button.setAttribute('aria-pressed', String(state.kind === kind.id)));
    return button;
  });
  return make('div', { class: 'legend', role: 'group', 'aria-label': 'colours' }, interactive ? make('span', { title: COMPUTE.help }, swatch('compute'), COMPUTE.name) : '', kinds);
}

// A bar of an account's kinds, `whole_ns` wide at full width.
function stackBar(account, whole_ns) {
  const total = KINDS.reduce((sum, kind) => sum + (account[kind.key] ?? 0), 0);
  const parts = KINDS.filter((kind) => account[kind.key] > 0);
  const text = parts.map((kind) => `${kind.name} ${timeText(account[kind.key])} (${shareText(account[kind.key], total)})`).join('\n');
  const bar = make('div', { class: 'stack', role: 'img', 'aria-label': text, style: `width:${(100 * total) / Math.max(1, whole_ns)}%` });
  bar.append(...parts.map((kind) => make('i', { style: `flex:${account[kind.key]} 0 0;background:var(--${kind.id})` })));
  bar.addEventListener('mousemove', (event) => showTip(text, event.clientX, event.clientY));
  bar.addEventListener('mouseleave', hideTip);
  return bar;
}

function addAccounts(rows) {
  const sum = {};
  for (const kind of KINDS) sum[kind.key] = rows.reduce((total, row) => total + (row[kind.key] ?? 0), 0);
  sum.time_ns = rows.reduce((total, row) => total + lineTime(row), 0);
  return sum;
}

// A trace's time holds that of its stages: where both stand on one line of the text, they count once.
function outerRows(rows) {
  const outer = rows.filter((row) => row.outermost);
  return rows.filter((row) => row.outermost || !outer.some((o) => o.operation === row.operation && isRelated(o.node, row.node, row.operation)));
}

// Lines of the report by line of the map's text.
function linesByPlace() {
  const places = new Map();
  for (const line of lines) {
    const node = nodes.get(line.node);
    if (!node?.line || (node.file && node.file !== report.map?.file)) continue;
    if (!places.has(node.line)) places.set(node.line, []);
    places.get(node.line).push(line);
  }
  return places;
}

function sourceLine(text, no, rows, whole_ns) {
  const dearest = rows ? [...rows].sort((a, b) => lineTime(b) - lineTime(a))[0] : null;
  const sum = rows ? addAccounts(outerRows(rows)) : null;
  const row = make(
    'div',
    { class: 'source-line', role: rows ? 'button' : null, 'aria-label': rows ? `line ${no}: ${nodeText(dearest.node)}, ${timeText(sum.time_ns)}` : null },
    make('span', { class: 'no' }, no),
    make('pre', { class: rows ? null : 'long' }, text || ' '),
    rows ? [stackBar(sum, whole_ns), make('span', { class: 'sum' }, timeText(sum.time_ns))] : '',
  );
  if (rows) {
    pressable(row, () => toggleNode(dearest.node, dearest.operation));
    const mark = () => {
      row.classList.toggle('on', rows.some((l) => l.node === state.node));
      row.classList.toggle('off', isFiltered() && !rows.some((l) => matchesLine(l.node, l.operation)));
    };
    follow(FILTERS, mark);
    mark();
  }
  return row;
}

function showSource() {
  const text = report.map?.text;
  const shared = legend(false);
  if (!text) {
    openSection('map', 'The map', 'This trace has no map: all calls went straight to the MPI library.');
    return;
  }
  const places = linesByPlace();
  const whole_ns = Math.max(1, ...[...places.values()].map((rows) => addAccounts(outerRows(rows)).time_ns));
  const source = text.replace(/\n+$/, '').split('\n');
  const shown = make('div', { class: 'source', role: 'group', 'aria-label': 'source of the map' }, source.map((line, i) => sourceLine(line, i + 1, places.get(i + 1), whole_ns)));
  openSection('map', report.map.file ? report.map.file.split('/').pop() : 'The map', 'The bar beside a line is its rank time, of a trace with all that it encloses. Choose a line and the whole page is about it.', shared, shown, tableBehind('The numbers behind the bars', () => lineTable()));
}
