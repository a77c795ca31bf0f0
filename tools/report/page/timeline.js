// Timeline: all ranks over the whole run, on a canvas that zooms; axes and marks are SVG.
const line = { live: null, group: 1, rows: [], cursor: null, chosen: null, axis: null, pointers: new Map(), drag: null };

function fullSpan() {
  const ends = track.ranks.map((rank) => rank[3]);
  const begins = track.ranks.map((rank) => rank[2]);
  const from = Math.min(0, ...begins);
  return [from, Math.max(from + 1, ...ends)];
}

function view() {
  const [from, to] = line.full;
  return [state.from ?? from, state.to ?? to];
}

function setView(from, to) {
  const [low, high] = line.full;
  const span = Math.max(Math.min(high - low, 200), Math.min(high - low, to - from));
  from = Math.max(low, Math.min(high - span, from));
  const whole = span >= high - low;
  choose({ from: whole ? null : from, to: whole ? null : from + span });
}

function zoom(factor, at) {
  const [from, to] = view();
  const middle = at ?? (from + to) / 2;
  setView(middle - (middle - from) * factor, middle + (to - middle) * factor);
}

function pan(share) {
  const [from, to] = view();
  setView(from + share * (to - from), to + share * (to - from));
}

// Rows in CSS pixels: ranks, or groups of them where there are very many; the chosen one is tall.
function layRows() {
  const count = track.ranks.length;
  line.group = Math.ceil(count / 700);
  const rows = Math.ceil(count / line.group);
  const height = Math.max(1, Math.min(22, rows > 280 ? Math.floor(900 / rows) : Math.floor(620 / rows)));
  let top = 0;
  line.rows = [];
  for (let i = 0; i < rows; i++) {
    const first = i * line.group;
    const last = Math.min(count, first + line.group) - 1;
    const on = state.rank !== null && track.ranks[first][0] <= state.rank && track.ranks[last][0] >= state.rank;
    line.rows.push({ first, last, top, height: on ? Math.max(36, height) : height, on });
    top += line.rows.at(-1).height;
  }
  return top;
}

function paintTimeline(context, width, height, ratio) {
  const [from, to] = view();
  const image = context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const colours = laneColours();
  const scale = width / (to - from);
  for (const row of line.rows) {
    const sums = new Float32Array((OTHERS + 1) * width);
    let start = Infinity;
    let end = -Infinity;
    for (let lane = row.first; lane <= row.last; lane++) {
      coverLane(track.lanes[lane], from, to, width, line.chosen, sums);
      start = Math.min(start, track.ranks[lane][2]);
      end = Math.max(end, track.ranks[lane][3]);
    }
    if (row.last > row.first) for (let i = 0; i < sums.length; i++) sums[i] /= row.last - row.first + 1;
    const gap = row.height >= 5 ? Math.round(ratio) : 0;
    const top = Math.round(row.top * ratio);
    const present = [Math.floor((start - from) * scale), Math.ceil((end - from) * scale)];
    paintShares(pixels, width, top, Math.min(height, Math.max(top + 1, Math.round((row.top + row.height) * ratio) - gap)), sums, width, colours, present);
  }
  context.putImageData(image, 0, 0);
  if (track.regions) paintRegions(context, width, ratio, from, scale);
  if (state.rank !== null) paintVeil(context, width, height, ratio);
  paintMarks(context, width, ratio, from, scale);
  if (line.cursor) paintCursor(context, ratio, from, scale);
}

// The regions of a row's first rank, as a bar beneath its calls; where rows are too low there is none.
function paintRegions(context, width, ratio, from, scale) {
  const { css } = palette();
  for (const row of line.rows) {
    if (row.height < 9) continue;
    const lane = track.regions.lanes[row.first];
    const thick = Math.max(3, Math.round(row.height * ratio / 3));
    const top = Math.round((row.top + row.height - 1) * ratio) - thick;
    let painted = 0;
    for (let i = lowerEnd(lane, from); i < lane.count; i++) {
      const begin = Math.max(painted, Math.floor((lane.begin[i] - from) * scale));
      const end = Math.min(width, Math.ceil((lane.end[i] - from) * scale));
      if (begin >= width) break;
      if (end <= begin) continue;
      context.fillStyle = css[PLACES[track.regions.looks[lane.look[i]][2]].id];
      context.fillRect(begin, top, end - begin, thick);
      context.fillStyle = css.card;
      context.fillRect(begin, top - 1, end - begin, 1);
      painted = end;
    }
  }
}

function regionText(lane, time) {
  const regions = track.regions?.lanes[lane];
  const at = regions ? lowerEnd(regions, time) : 0;
  if (!regions || at >= regions.count || regions.begin[at] > time) return '';
  const [, superblock, place] = track.regions.looks[regions.look[at]];
  return `\n${PLACES[place].name} of superblock “${track.regions.superblocks[superblock]}”, ${timeText(regions.end[at] - regions.begin[at])}`;
}

function regionLegend() {
  const swatch = (id) => make('i', { class: 'swatch', style: `background:var(--${id})` });
  return make('div', { class: 'legend', role: 'group', 'aria-label': 'colours of regions' }, make('span', {}, 'Bars beneath, regions of superblocks:'),
    PLACES.filter((place) => place && place.name !== 'unpack').map((place) => make('span', { title: place.help }, swatch(place.id), place.name)));
}

// What superblocks hide, as the report says it.
function superblockTexts() {
  return (report.superblocks ?? []).map((row) => make('p', { class: 'lead' },
    `Superblock “${row.name}”: an iteration computes ${timeText(row.iteration_compute_ns)} in a process, which is idle for ${timeText(row.iteration_idle_ns)}; ${row.why}.`));
}

// All but the chosen rank step back.
function paintVeil(context, width, height, ratio) {
  context.fillStyle = palette().css.card;
  context.globalAlpha = 0.55;
  for (const row of line.rows) if (!row.on) context.fillRect(0, Math.round(row.top * ratio), width, Math.round(row.height * ratio));
  context.globalAlpha = 1;
}

function paintMarks(context, width, ratio, from, scale) {
  context.fillStyle = palette().css.ink;
  for (const [lane, time] of track.marks) {
    const x = (time - from) * scale;
    const row = line.rows[Math.floor(lane / line.group)];
    if (x < 0 || x > width || !row) continue;
    context.fillRect(Math.round(x), Math.round(row.top * ratio), Math.max(1, Math.round(1.5 * ratio)), Math.max(1, Math.round(row.height * ratio)));
  }
}

function paintCursor(context, ratio, from, scale) {
  const row = line.rows[line.cursor.row];
  const x = (line.cursor.time - from) * scale;
  context.strokeStyle = palette().css.accent;
  context.lineWidth = 2 * ratio;
  context.strokeRect(x - 4 * ratio, row.top * ratio, 8 * ratio, Math.max(3, row.height) * ratio);
}

function tickText(ns, step) {
  const units = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
  const [size, name] = units.find(([unit]) => Math.abs(ns) >= unit || step >= unit) ?? units[3];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  return `${(ns / size).toFixed(Math.min(9, digits))} ${name}`;
}

function drawAxis() {
  const [from, to] = view();
  const width = line.live.width || line.live.node.clientWidth || 800; // asked of the node, it lays the page out
  const ticks = axisTicks(from, to, Math.max(2, Math.floor(width / 130)));
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : 1;
  const x = (ns) => (width * (ns - from)) / (to - from);
  const marks = [];
  let last = -99;
  for (const [, time, name] of [...track.marks].sort((a, b) => a[1] - b[1])) {
    const at = x(time);
    const text = track.mark_names[name];
    if (at < 0 || at > width - 30 || at < last + 14 + 7 * (marks.at(-1)?.textContent.length ?? 0)) continue;
    marks.push(draw('text', { x: at, y: 12, fill: 'currentColor' }, `▾${text}`));
    last = at;
    if (marks.length > 40) break;
  }
  const top = marks.length ? 32 : 14;
  line.axis.setAttribute('viewBox', `0 0 ${width} ${top + 8}`);
  line.axis.setAttribute('height', top + 8);
  line.axis.replaceChildren(
    ...marks,
    ...ticks.map((ns) => draw('line', { x1: x(ns), x2: x(ns), y1: top + 2, y2: top + 8 })),
    ...ticks.map((ns) => draw('text', { x: Math.max(14, Math.min(width - 22, x(ns))), y: top - 2, 'text-anchor': 'middle' }, tickText(ns, step))),
  );
}

function drawRanks() {
  const labels = [];
  let last = -99;
  for (const row of line.rows) {
    const y = row.top + row.height / 2 + 4;
    if (!row.on && (y < last + 15 || line.rows.some((other) => other.on && Math.abs(other.top + other.height / 2 + 4 - y) < 15))) continue;
    const ranks = track.ranks.slice(row.first, row.last + 1).map((rank) => rank[0]);
    const text = draw('text', { x: 78, y, 'text-anchor': 'end', style: `cursor:pointer${row.on ? ';font-weight:700' : ''}` }, `rank ${ranks.length > 1 ? `${ranks[0]}–${ranks.at(-1)}` : ranks[0]}`);
    text.addEventListener('click', () => toggleRank(ranks[0]));
    labels.push(text);
    last = y;
  }
  line.side.setAttribute('height', line.live.height || 100);
  line.side.replaceChildren(...labels);
}

function refreshTimeline() {
  line.chosen = chosenRows(track.looks, matchesLook);
  line.live.height = layRows();
  line.live.later();
  drawAxis();
  drawRanks();
}

function rowAt(y) {
  return Math.max(0, line.rows.findLastIndex((row) => row.top <= y));
}

function timelineText(rowIndex, time) {
  const row = line.rows[rowIndex];
  const [from, to] = view();
  const pixel = (to - from) / Math.max(1, line.live.node.clientWidth);
  const [rank, host, start, end] = track.ranks[row.first];
  const name = row.last > row.first ? `ranks ${rank}–${track.ranks[row.last][0]}` : `rank ${rank}${host ? ` on ${host}` : ''}`;
  const where = `${name}, at ${tickText(time, pixel)}`;
  if (time < start || time > end) return `${where}\n${time < start ? 'not begun' : 'ended'}`;
  const text = placeSummary(track.lanes[row.first], track.looks, time - pixel / 2, time + pixel / 2, time);
  const mark = track.marks.find(([lane, at]) => lane >= row.first && lane <= row.last && Math.abs(at - time) < 3 * pixel);
  const coarse = track.resolution_ns > 1 ? `\nshown to ${timeText(track.resolution_ns)}` : '';
  return `${where}${mark ? `\nmark “${track.mark_names[mark[2]]}”` : ''}\n${text}${regionText(row.first, time)}${coarse}`;
}

function pointed(event) {
  const box = line.live.node.getBoundingClientRect();
  const [from, to] = view();
  return { row: rowAt(event.clientY - box.top), time: from + ((to - from) * (event.clientX - box.left)) / box.width };
}

function sayCursor() {
  const box = line.live.node.getBoundingClientRect();
  const [from, to] = view();
  const text = timelineText(line.cursor.row, line.cursor.time);
  get('timeline-said').textContent = text;
  showTip(text, box.left + (box.width * (line.cursor.time - from)) / (to - from), box.top + line.rows[line.cursor.row].top + line.rows[line.cursor.row].height);
  line.live.later();
}

function moveCursor(dx, dy) {
  const [from, to] = view();
  const step = (to - from) / 50;
  const old = line.cursor ?? { row: 0, time: (from + to) / 2 - dx * step };
  const time = Math.max(line.full[0], Math.min(line.full[1], old.time + dx * step));
  line.cursor = { row: Math.max(0, Math.min(line.rows.length - 1, old.row + dy)), time };
  if (time < from || time > to) pan(Math.sign(dx) * 0.5);
  sayCursor();
}

const TIMELINE_KEYS = {
  ArrowLeft: (shift) => (shift ? pan(-0.25) : moveCursor(-1, 0)),
  ArrowRight: (shift) => (shift ? pan(0.25) : moveCursor(1, 0)),
  ArrowUp: () => moveCursor(0, -1),
  ArrowDown: () => moveCursor(0, 1),
  '+': () => zoom(0.5, line.cursor?.time),
  '=': () => zoom(0.5, line.cursor?.time),
  '-': () => zoom(2, line.cursor?.time),
  0: () => setView(...line.full),
  Home: () => setView(...line.full),
  Enter: () => line.cursor && toggleRank(track.ranks[line.rows[line.cursor.row].first][0]),
};

function timelineKeys(event) {
  const act = TIMELINE_KEYS[event.key];
  if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  act(event.shiftKey);
}

function timelineWheel(event) {
  const focused = document.activeElement === line.live.node;
  const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
  if (!sideways && !event.ctrlKey && !event.metaKey && !focused) return;
  event.preventDefault();
  if (sideways) pan(event.deltaX / line.live.node.clientWidth);
  else zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * (event.ctrlKey ? 0.01 : 0.002)))), pointed(event).time);
}

function pinch(moved) {
  const [a, b] = [...line.pointers.values()];
  const apart = Math.max(8, Math.abs(a.clientX - b.clientX));
  if (moved && line.apart) zoom(line.apart / apart, pointed({ clientX: (a.clientX + b.clientX) / 2, clientY: a.clientY }).time);
  line.apart = apart;
}

function pointerDown(event) {
  const node = line.live.node;
  node.setPointerCapture(event.pointerId);
  line.pointers.set(event.pointerId, event);
  line.apart = 0;
  line.drag = { x: event.clientX, view: view(), moved: false };
}

function pointerMove(event) {
  if (line.pointers.has(event.pointerId)) line.pointers.set(event.pointerId, event);
  if (line.pointers.size === 2) return pinch(true);
  if (line.pointers.size === 1 && line.drag) {
    const dx = event.clientX - line.drag.x;
    if (Math.abs(dx) > 3) line.drag.moved = true;
    const [from, to] = line.drag.view;
    const shift = (-dx * (to - from)) / line.live.node.clientWidth;
    if (line.drag.moved) {
      const [low, high] = line.full;
      const bounded = Math.max(low - from, Math.min(high - to, shift));
      setView(from + bounded, to + bounded);
      hideTip();
    }
    return undefined;
  }
  const at = pointed(event);
  return showTip(timelineText(at.row, at.time), event.clientX, event.clientY);
}

function pointerUp(event) {
  line.pointers.delete(event.pointerId);
  if (line.drag && !line.drag.moved && event.type === 'pointerup') toggleRank(track.ranks[line.rows[pointed(event).row].first][0]);
  line.drag = null;
}

// What each rank did in the view, as numbers.
function viewTable() {
  const [from, to] = view();
  const rows = track.ranks.map(([rank, host], index) => {
    const lane = track.lanes[index];
    const sums = new Array(OTHERS + 1).fill(0);
    for (let i = lowerEnd(lane, from); i < lane.count && lane.begin[i] < to; i++) sums[line.chosen[lane.look[i]]] += Math.min(to, lane.end[i]) - Math.max(from, lane.begin[i]);
    return { rank, host, sums, all: sums.reduce((a, b) => a + b, 0) };
  });
  const whole = to - from;
  return makeTable(
    'Time of ranks in view',
    [number('rank', (r) => r.rank, String), { name: 'host', left: true, show: (r) => r.host, value: (r) => r.host }, ...KINDS.map((kind, k) => number(kind.name, (r) => r.sums[k], timeText, { note: (r) => shareText(r.sums[k], whole) })), number('not chosen', (r) => r.sums[OTHERS], timeText)],
    rows,
    { pick: (r) => toggleRank(r.rank), isOn: (r) => r.rank === state.rank },
  );
}

function showTimeline() {
  if (!track || track.ranks.length === 0) return;
  line.full = fullSpan();
  line.live = liveCanvas('timeline of all ranks: arrow keys move, plus and minus zoom, 0 shows all, Enter chooses a rank', () => layRows(), paintTimeline);
  line.axis = draw('svg', { 'aria-hidden': 'true' });
  line.side = draw('svg', { width: 84 });
  const node = line.live.node;
  const listen = (names, action, options) => names.split(' ').forEach((name) => node.addEventListener(name, action, options));
  listen('keydown', timelineKeys);
  listen('wheel', timelineWheel, { passive: false });
  listen('pointerdown', pointerDown);
  listen('pointermove', pointerMove);
  listen('pointerup pointercancel', pointerUp);
  listen('mouseleave', hideTip);
  listen('dblclick', (event) => zoom(0.25, pointed(event).time));
  listen('blur', () => { line.cursor = null; hideTip(); line.live.later(); });
  const button = (text, label, action) => make('button', { type: 'button', 'aria-label': label, onclick: action }, text);
  const said = make('span', { class: 'num soft' });
  const tell = () => {
    const [from, to] = view();
    said.textContent = `${timeText(to - from)} from ${tickText(from, (to - from) / 100)}`;
  };
  const coarse = track.resolution_ns > 1 ? ` What is shorter than ${timeText(track.resolution_ns)} is shown in proportion.` : '';
  const fewer = track.marks.length < track.marks_total ? ` ${countText(track.marks.length)} of ${countText(track.marks_total)} marks are shown.` : '';
  openSection(
    'timeline', 'Timeline', `Drag to move; click into it and the wheel zooms, as do pinching, + and −. A click chooses a rank, a colour shows that alone.${coarse}${fewer}`,
    legend(true),
    track.regions ? [regionLegend(), superblockTexts()] : '',
    make('div', { class: 'tools' }, button('−', 'zoom out', () => zoom(2)), button('+', 'zoom in', () => zoom(0.5)), button('All', 'show the whole run', () => setView(...line.full)), said),
    make('div', { class: 'chart' }, make('div', { class: 'plot' }, make('span'), line.axis, make('div', { class: 'side' }, line.side), node)),
    make('div', { id: 'timeline-said', class: 'unseen', 'aria-live': 'polite' }),
    tableBehind('What each rank did in view, as a table', viewTable, [...FILTERS, 'kind', 'from', 'to', 'rank']),
  );
  follow([...FILTERS, 'kind', 'rank', 'from', 'to'], () => { tell(); refreshTimeline(); });
  new ResizeObserver(() => { line.live.width = node.clientWidth; drawAxis(); }).observe(node);
  tell();
  refreshTimeline();
}
