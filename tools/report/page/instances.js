// Instances: the worst calls beside the median of their line, message by message.
const drawn = new Set();

function callKey(call) {
  return `${call.node}:${call.operation}`;
}

// Groups to show: of each line that has a place, its median and its worst.
function callGroups() {
  const matching = calls.filter((call) => matchesLine(call.node, call.operation));
  const worst = matching.filter((call) => !call.median).sort((a, b) => b.duration_ns - a.duration_ns).slice(0, 5);
  const groups = new Map();
  for (const call of worst) {
    if (!groups.has(callKey(call))) groups.set(callKey(call), { median: matching.find((c) => c.median && callKey(c) === callKey(call)), worst: [] });
    groups.get(callKey(call)).worst.push(call);
  }
  return [...groups.values()];
}

function callName(call) {
  return `${call.operation} #${call.sequence}`;
}

function laneHeight(call) {
  return Math.max(1.5, Math.min(15, 210 / Math.max(1, call.ranks.length)));
}

function paintPieces(context, call, width, height, ratio) {
  const image = context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const colours = laneColours();
  const rows = call.rows;
  const each = height / call.ranks.length;
  const gap = each > 5 * ratio ? ratio : 0;
  const scale = width / Math.max(1, call.duration_ns);
  for (let lane = 0; lane < call.ranks.length; lane++) {
    const sums = new Float32Array((OTHERS + 1) * width);
    coverLane(call.lanes[lane], 0, Math.max(1, call.duration_ns), width, rows, sums);
    const present = [Math.floor((call.enter_ns[lane] ?? 0) * scale), Math.ceil((call.leave_ns[lane] ?? call.duration_ns) * scale)];
    paintShares(pixels, width, Math.round(lane * each), Math.max(Math.round(lane * each) + 1, Math.round((lane + 1) * each - gap)), sums, width, colours, present);
  }
  context.putImageData(image, 0, 0);
}

function paintCall(call, context, width, height, ratio) {
  const { css } = palette();
  const x = (ns) => (ns / Math.max(1, call.duration_ns)) * width;
  const y = (lane) => ((lane + 0.5) * height) / call.ranks.length;
  call.lanes ??= readLanes({ lanes: call.lanes64, resolution_ns: call.resolution_ns }, call.ranks.length);
  call.rows = chosenRows(call.looks, matchesLook);
  paintPieces(context, call, width, height, ratio);
  const line = (a, b, c, d, colour, thick, alpha) => {
    context.globalAlpha = alpha;
    context.strokeStyle = colour;
    context.lineWidth = thick * ratio;
    context.beginPath();
    context.moveTo(a, b);
    context.lineTo(c, d);
    context.stroke();
  };
  const strong = (a, b, c, d) => {
    line(a, b, c, d, css.card, 4, 0.75); // a margin sets it off against any colour
    line(a, b, c, d, css.ink, 2, 1);
  };
  const many = call.messages.length > 60;
  for (const [source, destination, sent, , done, , critical] of call.messages)
    if (!critical) line(x(sent), y(source), x(done), y(destination), css.soft, 0.75, many ? 0.25 : 0.6);
  for (const [source, destination, sent, , done, , critical] of call.messages)
    if (critical) strong(x(sent), y(source), x(done), y(destination));
  for (const [lane, begin, end, message] of call.critical) if (!message) strong(x(begin), y(lane), x(end), y(lane));
  context.globalAlpha = 1;
}

// What stands at a place of a lane: the segment there, or the shares where several are too near to each other.
function placeSummary(lane, looks, from, to, middle) {
  const found = [];
  for (let i = lowerEnd(lane, from); i < lane.count && lane.begin[i] < to; i++) found.push(i);
  const at = found.find((i) => lane.begin[i] <= middle && lane.end[i] > middle);
  if (found.length > 3) {
    const sums = new Array(KINDS.length).fill(0);
    for (const i of found) sums[looks[lane.look[i]][0]] += Math.min(to, lane.end[i]) - Math.max(from, lane.begin[i]);
    const parts = KINDS.map((kind, k) => [kind.name, sums[k]]).filter(([, ns]) => ns > 0).map(([name, ns]) => `${name} ${shareText(ns, to - from)}`);
    const rest = to - from - sums.reduce((a, b) => a + b, 0);
    return `${[`compute ${shareText(Math.max(0, rest), to - from)}`, ...parts].join(', ')}\n${numberText(found.length, 'piece')} within ${timeText(to - from)}`;
  }
  if (at === undefined) return 'compute: outside of traced calls';
  const [kind, node, visit, operation] = looks[lane.look[at]];
  const length = lane.end[at] - lane.begin[at];
  return `${KINDS[kind].name}, ${timeText(length)}: from ${timeText(lane.begin[at])} to ${timeText(lane.end[at])}${errorText(ERROR_NS)}\n${operation}: ${nodeText(node)}, ${placeText(node)}${node !== visit ? ` in ${placeText(visit)}` : ''}`;
}

function callTip(call, live, event) {
  const box = live.node.getBoundingClientRect();
  const lane = Math.max(0, Math.min(call.ranks.length - 1, Math.floor(((event.clientY - box.top) / box.height) * call.ranks.length)));
  const at = ((event.clientX - box.left) / box.width) * call.duration_ns;
  const pixel = call.duration_ns / box.width;
  const wait = call.wait_ns[lane];
  showTip(`rank ${call.ranks[lane]}, ${timeText(at)} after the first came\n${placeSummary(call.lanes[lane], call.looks, at - pixel / 2, at + pixel / 2, at)}\nin all: came after ${timeText(call.enter_ns[lane])}, waited ${timeText(wait)}`, event.clientX, event.clientY);
}

function showInTimeline(call) {
  const margin = Math.max(100, call.duration_ns * 0.15);
  choose({ from: Math.max(0, call.begin_ns - margin), to: call.begin_ns + call.duration_ns + margin });
  get('timeline').scrollIntoView({ block: 'start' });
}

function callTable(call) {
  const rows = call.ranks.map((rank, lane) => ({ rank, enter: call.enter_ns[lane], wait: call.wait_ns[lane], leave: call.leave_ns[lane] }));
  return makeTable(
    callName(call),
    [number('rank', (r) => r.rank, String), number('enters after', (r) => r.enter, timeText), number('waits', (r) => r.wait, timeText), number('leaves after', (r) => r.leave, (v) => (v === null ? 'never' : timeText(v)))],
    rows,
    { pick: (r) => toggleRank(r.rank) },
  );
}

function callFigure(call, median) {
  const live = liveCanvas(`${callName(call)}: ${timeText(call.duration_ns)}; Enter opens it in the timeline`, () => Math.round(laneHeight(call) * call.ranks.length), (context, w, h, ratio) => paintCall(call, context, w, h, ratio));
  drawn.add(live);
  pressable(live.node, () => showInTimeline(call));
  live.node.addEventListener('mousemove', (event) => callTip(call, live, event));
  live.node.addEventListener('mouseleave', hideTip);
  const times = !call.median && median?.duration_ns > 0 ? `, ${(call.duration_ns / median.duration_ns).toFixed(1)} × the median` : '';
  const partly = [call.ranks.length < call.members ? `${call.ranks.length} of ${call.members} ranks drawn` : '', call.messages.length < call.messages_total ? `${call.messages.length} of ${numberText(call.messages_total, 'message')}` : ''].filter(Boolean).join(', ');
  return make(
    'figure',
    { class: call.median ? 'median' : null, 'data-call': `${call.communicator}:${call.sequence}` },
    make('figcaption', { class: 'num' }, make('b', {}, call.median ? `median of ${countText(call.instances)}: ${timeText(call.duration_ns)}` : timeText(call.duration_ns)), errorText(2 * ERROR_NS), times, make('div', { class: 'small soft' }, `${callName(call)}, ${bytesText(call.bytes)}, at ${timeText(call.begin_ns)}${partly ? ` · ${partly}` : ''}`)),
    live.node,
    tableBehind('As a table', () => callTable(call), []),
  );
}

function callGroup({ median, worst }) {
  const first = worst[0];
  return make('div', { class: 'group' }, make('h3', {}, first.operation, ' ', make('code', { class: 'soft' }, nodeText(first.node)), ' ', make('span', { class: 'soft' }, placeText(first.node))), make('div', { class: 'small-charts' }, median ? callFigure(median) : '', worst.filter((call) => call !== median).map((call) => callFigure(call, median))));
}

function showCalls() {
  if (calls.length === 0) return;
  for (const call of calls) {
    call.lanes64 = call.lanes;
    call.lanes = null;
  }
  const holder = make('div');
  const refresh = () => {
    drawn.forEach(forgetCanvas);
    drawn.clear();
    const groups = callGroups();
    holder.replaceChildren(...(groups.length ? groups.map(callGroup) : [make('p', { class: 'soft' }, 'No call that is drawn matches the filter.')]));
  };
  openSection('instances', 'The slowest calls beside the median', 'A row is a rank, from the first to come until the last to leave. Thin lines are messages; the strong line is the critical path, back from the last to leave. Each call has a scale of its own; choose one to see it in the timeline.', legend(false), holder);
  follow(FILTERS, refresh);
  follow(['kind'], () => drawn.forEach((live) => live.later()));
  refresh();
}
