// Under other maps: what the run would have taken, and which calls gain or lose.
function mapName(file) {
  return file.split('/').pop();
}

function servedBy(line) {
  return line > 0 ? `line ${line}` : line < 0 ? 'several lines' : 'library';
}

// A bar on the scale of all: the time, and its ± as a stroke at its end.
function underBar(name, ns, error, most, note) {
  const width = (value) => `${(100 * value) / most}%`;
  const spread = error > 0 ? make('i', { class: 'spread', style: `left:${width(Math.max(0, ns - error))};width:${width(Math.min(most, ns + error) - Math.max(0, ns - error))}` }) : '';
  return make(
    'div',
    { class: 'under' },
    make('b', {}, name),
    make('div', { class: 'track', 'aria-hidden': 'true' }, make('i', { class: 'length', style: `width:${width(ns)}` }), spread),
    make('span', { class: 'num' }, `${timeText(ns)}${errorText(error)}`, make('small', { class: 'soft' }, note)),
  );
}

function underTable(map) {
  const column = (name, key, then, help) => timeColumn(name, key, { help: `${help}, summed over ranks; then: of the same run, replayed under its own map`, note: (l) => `then ${timeText(l[then])}` });
  return makeTable(
    `Calls under ${mapName(map.map_now)}`,
    [
      { name: 'operation', left: true, show: (l) => l.operation, value: (l) => l.operation },
      { name: 'served then', left: true, show: (l) => servedBy(l.line_then), value: (l) => l.line_then },
      { name: 'now', left: true, show: (l) => servedBy(l.line_now), value: (l) => l.line_now },
      number('calls', (l) => l.calls, countText),
      column('service', 'service_now_ns', 'service_replayed_ns', 'behind the last arrival that a rank depends on'),
      column('waiting', 'wait_now_ns', 'wait_replayed_ns', 'for that arrival'),
      number('gain', (l) => l.service_replayed_ns + l.wait_replayed_ns - l.service_now_ns - l.wait_now_ns, timeText, { help: 'of service and waiting together' }),
    ],
    map.lines,
  );
}

function underMap(map, most) {
  if (!map.answered) return make('div', { class: 'under' }, make('b', {}, mapName(map.map_now)), make('span', { class: 'soft' }, `no answer, for ${map.refusal}`));
  const times = map.now_ns > 0 ? `${(map.run_ns / map.now_ns).toFixed(2)} times as fast, ${map.stamp}` : map.stamp;
  return underBar(mapName(map.map_now), map.now_ns, map.error_ns ?? 0, most, times);
}

function showUnder() {
  const maps = report.under ?? [];
  if (maps.length === 0) return;
  const answered = maps.filter((map) => map.answered);
  const most = Math.max(1, maps[0].run_ns, ...answered.map((map) => map.now_ns + Math.max(0, map.error_ns ?? 0)));
  openSection(
    'under',
    'Under other maps',
    'What this run would have taken, replayed: the time between calls is as it was, calls are carried out by the other map’s plans on a model of the machine.',
    make('div', { class: 'card' }, underBar(`${mapName(maps[0].map_then)}, as it ran`, maps[0].run_ns, 0, most, ''), maps.map((map) => underMap(map, most))),
    answered.map((map) => make('details', {}, make('summary', {}, `Calls under ${mapName(map.map_now)} as a table`), underTable(map))),
  );
}
