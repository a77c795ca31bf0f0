// Delays: who made whom wait, by what the late rank did too long.
function delayRows() {
  return (report.delays ?? []).filter((delay) => matchesLine(delay.node, delay.operation) && matchesRank(delay.rank));
}

function causeText(delay) {
  return delay.computing ? 'computing, outside of traced calls' : `in ${delay.cause_operation} ${nodeText(delay.cause_node)}`;
}

function delayBars(rows) {
  const most = Math.max(1, ...rows.map((row) => row.cost_ns));
  return make(
    'div',
    { class: 'card' },
    rows.slice(0, 10).map((row) =>
      pressable(
        make(
          'div',
          { class: 'delay', role: 'button' },
          make('span', {}, make('b', {}, `rank ${row.rank}`), ` ${causeText(row)}, before ${row.operation} at ${placeText(row.node)}`),
          make('div', { class: 'stack', style: `width:${(100 * row.cost_ns) / most}%` }, make('i', { style: 'flex:1;background:var(--late)' })),
          make('span', { class: 'num soft' }, timeText(row.cost_ns)),
        ),
        () => toggleRank(row.rank),
      ),
    ),
  );
}

function delayTable() {
  return makeTable(
    'Delays',
    [
      number('late rank', (d) => d.rank, String),
      { name: 'was too long', left: true, show: causeText, value: causeText },
      { name: 'others waited in', left: true, show: (d) => `${d.operation}, ${placeText(d.node)}`, value: (d) => d.operation },
      number('calls', (d) => d.instances, countText),
      timeColumn('others’ waits', 'cost_ns', { help: 'rank time of the others' }),
      timeColumn('longer than the mean by', 'excess_ns', { help: 'summed over calls' }),
    ],
    delayRows(),
    { pick: (d) => toggleRank(d.rank), isOn: (d) => d.rank === state.rank },
  );
}

function showDelays() {
  if (!report.delays?.length) return;
  const holder = make('div');
  const refresh = () => {
    const rows = delayRows();
    holder.replaceChildren(rows.length ? delayBars(rows) : make('p', { class: 'soft' }, 'No delay matches the filter.'));
  };
  openSection('delays', 'Who made whom wait', 'Others’ waits, by the rank that came late and what it did too long since it last met them.', holder, tableBehind('All delays as a table', delayTable, [...FILTERS, 'rank']));
  follow([...FILTERS, 'rank'], refresh);
  refresh();
}
