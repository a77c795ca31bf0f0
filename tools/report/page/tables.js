// Tables: columns that sort, rows that can be chosen; one stands behind every chart.
function cellOf(column, row) {
  const value = column.show(row);
  const note = column.note?.(row);
  return make('td', { class: column.left ? `left${column.code ? ' code' : ''}` : null }, value, note ? make('small', {}, note) : '');
}

// A table of `rows`; column: { name, help, show(row) → text, value(row) → for sorting, note(row), left, code }.
function makeTable(label, columns, rows, { pick, isOn, limit = 2000 } = {}) {
  const body = make('tbody');
  const table = make('table', { 'aria-label': label });
  const fillRows = () =>
    body.replaceChildren(
      ...rows.slice(0, limit).map((row) => {
        const line = make('tr', { class: [pick && 'pick', isOn?.(row) && 'on'].filter(Boolean).join(' ') || null }, columns.map((c) => cellOf(c, row)));
        return pick ? pressable(line, () => pick(row)) : line;
      }),
    );
  const sort = (column, head) => {
    const down = head.getAttribute('aria-sort') !== 'descending';
    for (const other of table.querySelectorAll('th')) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    rows = [...rows].sort((a, b) => {
      const [p, q] = [column.value(a) ?? -Infinity, column.value(b) ?? -Infinity];
      return (p < q ? 1 : p > q ? -1 : 0) * (down ? 1 : -1);
    });
    fillRows();
  };
  const heads = columns.map((column) => {
    const head = make('th', { scope: 'col', class: column.left ? 'left' : null, title: column.help });
    head.append(column.value ? make('button', { type: 'button', onclick: () => sort(column, head) }, column.name) : column.name);
    return head;
  });
  table.append(make('thead', {}, make('tr', {}, heads)), body);
  fillRows();
  const more = rows.length > limit ? make('p', { class: 'small soft' }, `${countText(rows.length - limit)} more rows are not shown.`) : '';
  return make('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label }, table, more);
}

// The table behind a chart: made when it is opened, and again when `names` of the state change.
function tableBehind(summary, build, names = FILTERS) {
  const details = make('details', {}, make('summary', {}, summary));
  const refresh = () => {
    if (!details.open) return;
    details.replaceChildren(details.firstChild, build());
  };
  details.addEventListener('toggle', refresh);
  follow(names, refresh);
  return details;
}

function number(name, value, show, extra) {
  return { name, value, show: (row) => show(value(row)), ...extra };
}

function timeColumn(name, key, extra) {
  return number(name, (row) => row[key], timeText, extra);
}

const LINE_COLUMNS = [
  { name: 'line', left: true, show: (l) => placeText(l.node), value: (l) => nodes.get(l.node)?.line ?? 1e9 },
  { name: 'operation', left: true, show: (l) => l.operation, value: (l) => l.operation },
  { name: 'wrapper', left: true, code: true, show: (l) => nodeText(l.node), value: (l) => nodeText(l.node) },
  number('calls', (l) => l.calls, countText),
  number('bytes', (l) => l.bytes, bytesText, { help: 'of calls, once each; of a stage: received in messages' }),
  timeColumn('rank time', 'time_ns', { help: 'summed over ranks' }),
  timeColumn('late', 'late_ns', { help: KINDS[0].help, note: (l) => (l.late_rank === undefined ? '' : `rank ${l.late_rank}: ${shareText(l.late_share, 1)}`) }),
  timeColumn('inside', 'inside_ns', { help: KINDS[1].help, note: (l) => l.error_ns > 0 && `both waits${errorText(l.error_ns)}` }),
  timeColumn('transfer', 'transfer_ns', { help: KINDS[2].help }),
  timeColumn('work', 'work_ns', { help: KINDS[3].help }),
  timeColumn('overhead', 'overhead_ns', { help: KINDS[4].help }),
  number('a call takes', (l) => l.duration?.median_ns, timeText, { help: 'first rank in to last rank out: median', note: (l) => l.duration && `p95 ${timeText(l.duration.p95_ns)}, n ${countText(l.duration.n)}` }),
  number('skew', (l) => l.skew?.median_ns, timeText, { help: 'first rank in to last rank in: median', note: (l) => l.skew && `p95 ${timeText(l.skew.p95_ns)}${errorText(2 * ERROR_NS)}` }),
  number('wait', (l) => l.wait?.median_ns, timeText, { help: 'of a rank in a call: median', note: (l) => l.wait && `p95 ${timeText(l.wait.p95_ns)}, n ${countText(l.wait.n)}` }),
  number('service', (l) => l.service?.median_ns, timeText, { help: 'of a rank in a call, without the wait: median', note: (l) => l.service && `p95 ${timeText(l.service.p95_ns)}, n ${countText(l.service.n)}` }),
  number('above floor', (l) => l.excess_ns, timeText, { help: 'service above what the fastest calls of that size need, summed over ranks' }),
  number('critical', (l) => l.critical_ns, timeText, { help: 'on critical paths of calls', note: (l) => l.critical > 0 && `${shareText(l.critical, l.calls)} of calls` }),
  number('imbalance', (l) => l.imbalance, (v) => (v === undefined ? '–' : `${Math.round(100 * v)} %`), { help: 'greatest over mean of exclusive time of ranks, less one' }),
];

function lineTable() {
  const rows = lines.filter((line) => matchesLine(line.node, line.operation));
  if (rows.length === 0) return make('p', { class: 'soft' }, lines.length ? 'No line matches the filter: Esc clears it.' : 'No call was traced.');
  return makeTable('Lines of the map', LINE_COLUMNS, rows, { pick: (l) => toggleNode(l.node, l.operation), isOn: (l) => l.node === state.node && l.operation === state.operation });
}

function showTable() {
  const holder = make('div', {}, lineTable());
  openSection('table', 'Every line', 'All totals by line of the map. Times are sums over ranks unless they say median or p95; a row is chosen by a click or Enter.', holder);
  follow(FILTERS, () => holder.replaceChildren(lineTable()));
}
