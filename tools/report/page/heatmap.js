// Heat map: by how much each rank came after the first, instance by instance.
const heat = { canvas: null, map: null, cursor: null, cells: null };

function heatMaps() {
  return (lateness?.maps ?? []).filter((map) => matchesLine(map.node, map.operation));
}

function heatKey(map) {
  return `${map.node}:${map.operation}`;
}

function pickHeat() {
  const maps = heatMaps();
  const map = maps.find((m) => heatKey(m) === state.heat) ?? maps[0] ?? null;
  if (map && !map.cells) map.cells = { mean: readBytes(map.mean), max: readBytes(map.max) };
  heat.map = map;
  if (heat.cursor && map && heat.cursor.column >= map.columns.length) heat.cursor = null;
}

function heatValue(map, byte) {
  return byte < 2 ? 0 : Math.expm1(((byte - 1) / 254) * Math.log1p(map.max_ns));
}

// From 0 to 1 over three decades below the greatest: what is less than a thousandth of that is on time.
function heatShade(map, late) {
  return late > 0 && map.max_ns > 0 ? Math.max(0, 1 + Math.log10(late / map.max_ns) / 3) : 0;
}

function heatRamp(map) {
  const { rgb } = palette();
  const stops = [rgb['heat-0'], rgb['heat-1'], rgb['heat-2'], rgb['heat-3']];
  const ramp = new Uint32Array(256);
  ramp[0] = packColour(rgb.absent);
  for (let i = 1; i < 256; i++) {
    const at = 3 * heatShade(map, heatValue(map, i));
    const low = Math.min(2, Math.floor(at));
    ramp[i] = packColour(stops[low].map((v, c) => Math.round(v + (stops[low + 1][c] - v) * (at - low))));
  }
  return ramp;
}

function ranksOfRow(row) {
  const first = Math.ceil((row * lateness.ranks) / lateness.rows);
  const last = Math.ceil(((row + 1) * lateness.ranks) / lateness.rows) - 1;
  return [first, Math.max(first, last)];
}

function paintHeat(context, width, height) {
  const map = heat.map;
  if (!map || map.columns.length === 0) return;
  const { columns } = map;
  const image = new ImageData(columns.length, lateness.rows);
  const pixels = new Uint32Array(image.data.buffer);
  const ramp = heatRamp(map);
  const cells = map.cells[state.how];
  for (let i = 0; i < pixels.length; i++) pixels[i] = ramp[cells[i]];
  const sheet = new OffscreenCanvas(columns.length, lateness.rows);
  sheet.getContext('2d').putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(sheet, 0, 0, width, height);
  const box = (column, row, columnsWide, colour) => {
    const [w, h] = [width / columns.length, height / lateness.rows];
    context.strokeStyle = colour;
    context.lineWidth = 2;
    context.strokeRect(column * w, row * h, Math.max(2, columnsWide * w), Math.max(2, h));
  };
  if (state.rank !== null) box(0, Math.floor((state.rank * lateness.rows) / lateness.ranks), columns.length, palette().css.accent);
  if (heat.cursor) box(heat.cursor.column, heat.cursor.row, 1, palette().css.ink);
}

function heatText({ column, row }) {
  const map = heat.map;
  const [begin, instances, communicator, sequence] = map.columns[column];
  const [first, last] = ranksOfRow(row);
  const at = row * map.columns.length + column;
  const who = first === last ? `rank ${first}` : `ranks ${first}–${last}`;
  const which = `${map.operation} #${sequence}${instances > 1 ? ` and ${countText(instances - 1)} more` : ''} on ${communicatorName(communicator)}, from ${timeText(begin)}`;
  if (map.cells.mean[at] === 0) return `${who} took no part\n${which}`;
  return `${who}: ${timeText(heatValue(map, map.cells.mean[at]))} after the first in the mean, up to ${timeText(heatValue(map, map.cells.max[at]))}${errorText(2 * ERROR_NS)}, n ${countText(instances)}\n${which}`;
}

function heatPlace(event) {
  const box = heat.canvas.node.getBoundingClientRect();
  const column = Math.floor(((event.clientX - box.left) / box.width) * heat.map.columns.length);
  const row = Math.floor(((event.clientY - box.top) / box.height) * lateness.rows);
  return { column: Math.max(0, Math.min(heat.map.columns.length - 1, column)), row: Math.max(0, Math.min(lateness.rows - 1, row)) };
}

function showHeatCursor() {
  const box = heat.canvas.node.getBoundingClientRect();
  const text = heatText(heat.cursor);
  get('heat-said').textContent = text;
  showTip(text, box.left + (box.width * (heat.cursor.column + 0.5)) / heat.map.columns.length, box.top + (box.height * (heat.cursor.row + 1)) / lateness.rows);
  heat.canvas.later();
}

// Choose a cell: its rank, and its stretch of time in the timeline.
function chooseCell(place) {
  const [first] = ranksOfRow(place.row);
  const { columns } = heat.map;
  const begin = columns[place.column][0];
  const next = columns[place.column + 1]?.[0] ?? begin + (run.span_ns - begin) / 4;
  const margin = Math.max(1000, (next - begin) * 0.25);
  choose({ rank: first, from: Math.max(0, begin - margin), to: next + margin });
}

const HEAT_MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function heatKeys(event) {
  const move = HEAT_MOVES[event.key];
  if (!heat.map) return;
  if (move) {
    const step = event.shiftKey ? 10 : 1;
    const old = heat.cursor ?? { column: 0, row: 0 };
    const clamp = (value, end) => Math.max(0, Math.min(end - 1, value));
    heat.cursor = heat.cursor ? { column: clamp(old.column + step * move[0], heat.map.columns.length), row: clamp(old.row + step * move[1], lateness.rows) } : old;
    showHeatCursor();
  } else if (event.key === 'Enter' && heat.cursor) chooseCell(heat.cursor);
  else return;
  event.preventDefault();
}

function heatAxes(svgSide) {
  const height = heatHeight();
  const step = Math.max(1, Math.ceil(lateness.rows / Math.max(2, Math.floor(height / 22))));
  const labels = [];
  for (let row = 0; row < lateness.rows; row += step) labels.push(draw('text', { x: 78, y: ((row + 0.5) * height) / lateness.rows + 4, 'text-anchor': 'end' }, `rank ${ranksOfRow(row)[0]}`));
  svgSide.setAttribute('height', height);
  svgSide.replaceChildren(...labels);
}

function heatScale() {
  const gradient = `linear-gradient(90deg,var(--heat-0),var(--heat-1),var(--heat-2),var(--heat-3))`;
  const max = heat.map?.max_ns ?? 0;
  const middle = max / 31.6;
  return make('span', { class: 'num soft' }, 'on time ', make('i', { class: 'swatch', style: `width:9rem;background:${gradient}` }), ` ${timeText(max)} late; the middle is ${timeText(middle)}`);
}

function heatHeight() {
  return Math.max(48, Math.min(512, lateness.rows * (lateness.rows > 96 ? 2 : lateness.rows > 24 ? 6 : lateness.rows > 8 ? 18 : 24)));
}

function heatTable() {
  const map = heat.map;
  if (!map) return make('p', {}, 'Nothing to show.');
  const width = map.columns.length;
  const rows = [];
  for (let row = 0; row < lateness.rows; row++) {
    const values = [];
    let max = 0;
    for (let column = 0; column < width; column++) {
      const at = row * width + column;
      if (map.cells.mean[at] === 0) continue;
      values.push(heatValue(map, map.cells.mean[at]));
      max = Math.max(max, heatValue(map, map.cells.max[at]));
    }
    values.sort((a, b) => a - b);
    if (values.length) rows.push({ row, n: values.length, median: values[values.length >> 1], p95: values[Math.min(values.length - 1, Math.ceil(values.length * 0.95) - 1)], max });
  }
  const name = (r) => ranksOfRow(r.row).filter((v, i, all) => i === 0 || v !== all[0]).join('–');
  return makeTable('Lateness by rank', [{ name: 'rank', show: name, value: (r) => r.row }, number('columns', (r) => r.n, countText), number('median', (r) => r.median, timeText), number('p95', (r) => r.p95, timeText), number('greatest', (r) => r.max, timeText)], rows, { pick: (r) => toggleRank(ranksOfRow(r.row)[0]) });
}

function showHeat() {
  if (!lateness || lateness.maps.length === 0) return;
  pickHeat();
  heat.canvas = liveCanvas('lateness of ranks by call: arrow keys move, Enter chooses', heatHeight, paintHeat);
  const select = make('select', { 'aria-label': 'line of the map', onchange: (event) => choose({ heat: event.target.value }) });
  const how = make('button', { type: 'button', 'aria-label': 'show the maximum of each cell instead of the mean', onclick: () => choose({ how: state.how === 'mean' ? 'max' : 'mean' }) }, 'maximum');
  const scale = make('span');
  const side = draw('svg', { width: 84, 'aria-hidden': 'true' });
  const span = make('div', { class: 'small soft num', style: 'display:flex;justify-content:space-between;padding:0.3rem 0 0 5.5rem' });
  const chart = make('div', { class: 'chart' });
  const note = lateness.omitted > 0 ? ` ${numberText(lateness.omitted, 'line')} with less lateness left out.` : '';
  const refresh = () => {
    pickHeat();
    const maps = heatMaps();
    select.replaceChildren(...maps.map((map) => make('option', { value: heatKey(map), selected: map === heat.map }, `${map.operation}: ${nodeText(map.node)}, ${placeText(map.node)}`)));
    select.disabled = maps.length === 0;
    chart.hidden = maps.length === 0;
    how.setAttribute('aria-pressed', String(state.how === 'max'));
    scale.replaceChildren(maps.length ? heatScale() : 'No line with lateness matches the filter.');
    const columns = heat.map?.columns ?? [];
    span.replaceChildren(make('span', {}, columns.length ? `from ${timeText(columns[0][0])}` : ''), make('span', {}, columns.length ? `${numberText(columns.reduce((n, c) => n + c[1], 0), 'call')} in time order` : ''), make('span', {}, columns.length ? `to ${timeText(columns.at(-1)[0])}` : ''));
    heatAxes(side);
    heat.canvas.later();
  };
  const node = heat.canvas.node;
  node.addEventListener('keydown', heatKeys);
  node.addEventListener('mousemove', (event) => heat.map && showTip(heatText(heatPlace(event)), event.clientX, event.clientY));
  node.addEventListener('mouseleave', hideTip);
  node.addEventListener('blur', () => { heat.cursor = null; hideTip(); heat.canvas.later(); });
  node.addEventListener('click', (event) => heat.map && chooseCell(heatPlace(event)));
  chart.append(make('div', { class: 'plot' }, make('div', { class: 'side' }, side), node), span);
  openSection('lateness', 'Who comes late', `By how much each rank entered a call after the first to do so, on a logarithmic scale. A cell opens in the timeline.${note}`, make('div', { class: 'tools' }, select, how, make('span', { class: 'grow' }), scale), chart, make('div', { id: 'heat-said', class: 'unseen', 'aria-live': 'polite' }), tableBehind('Lateness by rank as a table', heatTable, [...FILTERS, 'heat']));
  follow([...FILTERS, 'heat', 'how', 'rank'], refresh);
  refresh();
}
