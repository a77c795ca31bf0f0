// Path: each operation as the map says it, boxes in the order of the stack, and who talks to whom on a stage.
const NOTHING = { time_ns: 0 };

// Wrappers between this trace and the next that have no account: they took no part, or make no steps of their own.
function quietBoxes(line) {
  const outer = nodes.get(line.node);
  if (!outer?.line) return [];
  const start = placeOf(line.node);
  const end = Math.min(...[...nodes.values()].filter((n) => n.wrapper === 'trace' && n.file === outer.file && placeOf(n.node) > start).map((n) => placeOf(n.node)));
  return [...nodes.values()]
    .filter((n) => n.file === outer.file && placeOf(n.node) > start && placeOf(n.node) < end && (n.operation === line.operation || n.operation === outer.operation))
    .filter((n) => !lines.some((l) => l.node === n.node))
    .map((n) => ({ line: { node: n.node, operation: line.operation, quiet: true }, account: NOTHING }));
}

function pathsOf() {
  return lines
    .filter((line) => line.outermost)
    .map((line) => {
      const stages = stagesOf.get(`${line.node}:${line.operation}`) ?? new Set();
      const inner = lines.filter((l) => l.operation === line.operation && stages.has(l.node) && l.node !== line.node);
      const own = {};
      const exclusive = inner.filter((l) => !l.visited);
      for (const kind of KINDS) own[kind.key] = Math.max(0, (line[kind.key] ?? 0) - exclusive.reduce((sum, l) => sum + (l[kind.key] ?? 0), 0));
      own.time_ns = KINDS.reduce((sum, kind) => sum + own[kind.key], 0);
      const stack = inner.filter((l) => !l.outermost).sort((a, b) => placeOf(a.node) - placeOf(b.node));
      const boxes = [...stack.map((l) => ({ line: l, account: l.visited ? NOTHING : l })), ...quietBoxes(line)];
      return { line, boxes: [{ line, account: own }, ...boxes.sort((a, b) => placeOf(a.line.node) - placeOf(b.line.node))] };
    })
    .sort((a, b) => lineTime(b.line) - lineTime(a.line));
}

function boxNote(line, account) {
  if (line.quiet) return 'no time of its own';
  if (isInner(line)) return `${timeText(line.time_ns)} with what it encloses`;
  return `${timeText(account.time_ns)} own · imbalance ${shareText(line.imbalance ?? 0, 1)}`;
}

function pathBox({ line, account }, scale) {
  const parts = KINDS.filter((kind) => account[kind.key] > 0);
  const height = account.time_ns * scale;
  const area = make('span', { class: 'area', style: `height:${height.toFixed(2)}px`, 'aria-hidden': 'true' }, parts.map((kind) => make('i', { style: `flex:${account[kind.key]} 0 0;background:var(--${kind.id})` })));
  const box = make(
    'button',
    { type: 'button', class: 'box', 'data-node': line.node, 'data-operation': line.operation, 'aria-label': `${nodeText(line.node)} under ${line.operation}: ${timeText(account.time_ns)} of its own` },
    make('span', { class: 'text' }, nodeText(line.node), make('small', { class: 'num' }, boxNote(line, account))),
    area,
  );
  box.addEventListener('click', () => toggleNode(line.node, line.operation));
  const mark = () => {
    const on = state.node === line.node && (state.operation === null || state.operation === line.operation);
    box.classList.toggle('on', on);
    box.setAttribute('aria-pressed', String(on));
    box.classList.toggle('off', isFiltered() && !matchesLine(line.node, line.operation));
  };
  follow(FILTERS, mark);
  mark();
  return box;
}

// The edges to show: of the chosen node, or of the dearest stage that matches.
function chosenEdges() {
  const edges = (report.edges ?? []).filter((edge) => lines.some((l) => l.node === edge.node && matchesLine(l.node, l.operation)));
  const direct = edges.filter((edge) => edge.node === state.node);
  const cost = (edge) => edge.wait_ns + edge.transfer_ns;
  const sums = new Map();
  for (const edge of edges) sums.set(edge.node, (sums.get(edge.node) ?? 0) + cost(edge));
  const node = direct.length ? state.node : [...sums].sort((a, b) => b[1] - a[1])[0]?.[0];
  const list = edges.filter((edge) => edge.node === node).sort((a, b) => cost(b) - cost(a));
  return { node, list };
}

function edgeText(edge) {
  return (
    `rank ${edge.source} → rank ${edge.destination}: ${numberText(edge.messages, 'message')}, ${bytesText(edge.bytes)}\n` +
    `wait ${timeText(edge.wait_ns)} (late sender ${timeText(edge.late_sender_ns)}, late receiver ${timeText(edge.late_receiver_ns)}), transfer ${timeText(edge.transfer_ns)}\n` +
    `critical in ${countText(edge.critical)} of ${countText(edge.instances)} calls (${shareText(edge.critical, edge.instances)}), slack ${spreadText(edge.slack)}`
  );
}

function edgeArcs({ list }) {
  const width = 1100;
  const ranks = run.ranks || 1;
  const shown = list.slice(0, 500).reverse();
  const at = (rank) => 30 + ((width - 60) * (rank + 0.5)) / ranks;
  const reach = Math.max(1, ...shown.map((edge) => Math.abs(edge.source - edge.destination)));
  const rise = (edge) => 14 + (106 * Math.sqrt(Math.abs(edge.source - edge.destination))) / Math.sqrt(reach);
  const known = list.some((edge) => edge.critical > 0);
  const most = Math.max(1, ...list.map((edge) => edge.wait_ns + edge.transfer_ns));
  const reached = (side) => 0.75 * Math.max(0, ...shown.filter((edge) => (edge.source < edge.destination) === side).map(rise));
  const [above, below] = [reached(true), reached(false)];
  const arcs = shown.map((edge) => {
    const share = known ? edge.critical / Math.max(1, edge.instances) : (edge.wait_ns + edge.transfer_ns) / most;
    const up = edge.source < edge.destination ? -1 : 1;
    const [a, b] = [at(edge.source), at(edge.destination)];
    const y = 150 + up * 12;
    const colour = edge.wait_ns > edge.transfer_ns ? 'late' : 'transfer';
    const path = draw('path', { d: `M${a} ${y} C${a} ${y + up * rise(edge)} ${b} ${y + up * rise(edge)} ${b} ${y}`, 'stroke-width': (0.6 + 6 * share).toFixed(2), stroke: `var(--${colour})`, 'stroke-opacity': shown.length > 80 ? 0.3 + 0.6 * share : 0.85, 'stroke-linecap': 'round' });
    path.addEventListener('mousemove', (event) => showTip(edgeText(edge), event.clientX, event.clientY));
    path.addEventListener('mouseleave', hideTip);
    path.addEventListener('click', () => toggleRank(edge.source));
    if (!matchesRank(edge.source) && !matchesRank(edge.destination)) path.setAttribute('stroke-opacity', '0.08');
    return path;
  });
  const step = Math.max(1, Math.ceil(ranks / 32));
  const labels = [];
  for (let rank = 0; rank < ranks; rank += step) labels.push(draw('text', { x: at(rank), y: 154, 'text-anchor': 'middle' }, String(rank)));
  return draw('svg', { class: 'arcs', viewBox: `0 ${(132 - above).toFixed(0)} ${width} ${(36 + above + below).toFixed(0)}`, role: 'img', 'aria-label': `messages between ranks: ${list.length} edges; the table behind lists them` }, arcs, labels);
}

function edgeTable(list) {
  const of = (name, key) => timeColumn(name, key);
  return makeTable(
    'Edges',
    [
      number('from rank', (e) => e.source, String),
      number('to rank', (e) => e.destination, String),
      number('messages', (e) => e.messages, countText),
      number('bytes', (e) => e.bytes, bytesText),
      of('wait', 'wait_ns'),
      of('late sender', 'late_sender_ns'),
      of('late receiver', 'late_receiver_ns'),
      of('transfer', 'transfer_ns'),
      of('propagation', 'propagation_ns'),
      number('critical in', (e) => e.critical / Math.max(1, e.instances), (v) => shareText(v, 1), { note: (e) => `${countText(e.critical)} of ${countText(e.instances)} calls` }),
      of('on critical paths', 'critical_ns'),
      number('slack', (e) => e.slack?.median_ns, timeText, { note: (e) => e.slack && `p95 ${timeText(e.slack.p95_ns)}, n ${countText(e.slack.n)}` }),
    ],
    list,
    { pick: (e) => toggleRank(e.source), isOn: (e) => state.rank === e.source, limit: 500 },
  );
}

function edgePart() {
  const chosen = chosenEdges();
  if (chosen.list.length === 0) return [make('p', { class: 'soft' }, 'No messages between ranks were traced here.')];
  const more = (report.edges_total ?? 0) > (report.edges?.length ?? 0) ? ` The page has the ${countText(report.edges.length)} dearest of ${countText(report.edges_total)} edges.` : '';
  return [
    make('h3', {}, 'Who talks to whom on ', make('code', {}, nodeText(chosen.node))),
    make('p', { class: 'soft small' }, `An arc is an edge, above the line from lower to higher ranks, below it back; its thickness is in how many calls it was on the critical path. Orange edges mostly wait, teal ones mostly transfer.${more}`),
    make('div', { class: 'chart' }, edgeArcs(chosen)),
  ];
}

function showPath() {
  const paths = pathsOf();
  if (paths.length === 0) return;
  const total = Math.max(1, ...paths.map((path) => path.boxes.reduce((sum, box) => sum + box.account.time_ns, 0)));
  const ways = paths.map((path) =>
    make('div', { class: 'way' }, make('h3', {}, path.line.operation, make('span', { class: 'soft num' }, timeText(lineTime(path.line)))), path.boxes.map((box) => pathBox(box, 220 / total))),
  );
  const edges = make('div', { style: 'margin-top:2rem' }, edgePart());
  follow([...FILTERS, 'rank'], () => edges.replaceChildren(...edgePart()));
  openSection('path', 'The path', 'Wrappers from the outside in. The coloured area is the time that is a wrapper’s own, on one scale for all.', make('div', { class: 'paths' }, ways), edges, tableBehind('The edges as a table', () => edgeTable(chosenEdges().list), [...FILTERS, 'rank']));
}
