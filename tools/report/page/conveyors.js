// Conveyors: their buffers by hop, and who blocks whom.
const permille = (value) => (value === undefined ? '–' : `${Math.round(value / 10)} %`);

function hopTable(conveyor) {
  return makeTable(
    `Hops of ${conveyor.name}`,
    [
      { name: 'hop', left: true, show: (h) => h.axis, value: (h) => h.axis },
      number('buffers', (h) => h.buffers, countText, { note: (h) => h.relayed > 0 && `${shareText(h.relayed, h.buffers)} relayed` }),
      ...['full', 'flush', 'urgent', 'endgame'].map((name) => number(name, (h) => h.closed_by?.[name] ?? 0, countText, { help: 'buffers handed over for this reason', note: (h) => shareText(h.closed_by?.[name] ?? 0, h.buffers) })),
      number('bytes', (h) => h.bytes, bytesText),
      number('fill', (h) => h.fill_permille?.median, permille, { note: (h) => h.fill_permille && `p95 ${permille(h.fill_permille.p95)}, n ${countText(h.fill_permille.n)}` }),
      number('under ¼', (h) => h.meagre, countText, { note: (h) => shareText(h.meagre, h.buffers) }),
      ...[['filling', 'filling'], ['under way', 'under_way'], ['at inlet', 'at_inlet']].map(([name, key]) => number(name, (h) => h[key]?.median_ns, timeText, { note: (h) => h[key] && `p95 ${timeText(h[key].p95_ns)}, n ${countText(h[key].n)}` })),
    ],
    conveyor.hops ?? [],
  );
}

function blockTable(conveyor) {
  return makeTable(
    `Blocked in ${conveyor.name}`,
    [
      { name: 'hop', left: true, show: (b) => conveyor.hops?.[b.hop]?.axis ?? String(b.hop), value: (b) => b.hop },
      number('rank', (b) => b.from, String),
      number('waits for', (b) => b.to, String),
      number('because of', (b) => b.root, String, { help: 'the last of the chain of ranks that waited for each other' }),
      number('times', (b) => b.times, countText),
      timeColumn('rank time', 'ns'),
    ],
    conveyor.blocks ?? [],
    { pick: (b) => toggleRank(b.from), isOn: (b) => b.from === state.rank },
  );
}

function conveyorCard(conveyor) {
  const fact = (value, name) => make('li', {}, make('b', { class: 'num' }, value), ` ${name}`);
  return make(
    'div',
    { class: 'group' },
    make('h3', {}, conveyor.name || 'conveyor'),
    make('ul', { class: 'facts' }, fact(countText(conveyor.ranks), 'ranks'), fact(countText(conveyor.pushed), 'items pushed'), fact(countText(conveyor.pulled), 'pulled'), fact(timeText(conveyor.run_ns), 'rank time'), fact(shareText(conveyor.endgame_ns, conveyor.run_ns), 'of it endgame'), fact(shareText(conveyor.blocked_ns, conveyor.run_ns), 'of it blocked'), conveyor.item ? fact(spreadText(conveyor.item), 'for an item, end to end') : ''),
    hopTable(conveyor),
    (conveyor.blocks ?? []).length ? make('details', {}, make('summary', {}, 'Who waits for room, and because of whom'), blockTable(conveyor)) : '',
  );
}

function showConveyors() {
  if (!report.conveyors?.length) return;
  openSection('conveyors', 'Conveyors', 'Buffers by hop: why they were handed over, how full, how long on their way. Times are medians.', report.conveyors.map(conveyorCard));
}
