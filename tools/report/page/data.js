// Data: the blocks in this file, decoded, and what belongs to what among lines of the map.
const KINDS = [
  { id: 'late', name: 'wait: late', key: 'late_ns', help: 'waiting for the last rank that the result depends on to arrive' },
  { id: 'inside', name: 'wait: inside', key: 'inside_ns', help: 'waiting for the other side of a message after that' },
  { id: 'transfer', name: 'transfer', key: 'transfer_ns', help: 'from when both sides of a message were ready until it was there' },
  { id: 'work', name: 'work', key: 'work_ns', help: 'operators and copies on the rank itself' },
  { id: 'overhead', name: 'overhead', key: 'overhead_ns', help: 'the rest of the call: steps of Waymark, or the library' },
];
const COMPUTE = { id: 'compute', name: 'compute', help: 'outside of traced calls' };

function readBlock(id) {
  return JSON.parse(get(id)?.textContent || 'null');
}

function readBytes(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// Lanes of a timeline: for each, typed arrays of begins and ends (ns after the origin) and looks.
function readLanes(block, count) {
  const bytes = readBytes(block.lanes);
  const cell = block.resolution_ns;
  const lanes = [];
  let at = 0;
  const next = () => {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = bytes[at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  };
  for (let i = 0; i < count; i++) {
    const segments = next();
    const lane = { count: segments, begin: new Float64Array(segments), end: new Float64Array(segments), look: new Uint16Array(segments) };
    let now = 0;
    for (let k = 0; k < segments; k++) {
      const head = next();
      if (head & 1) now += next() * cell;
      lane.begin[k] = now;
      now += next() * cell;
      lane.end[k] = now;
      lane.look[k] = head >> 1;
    }
    lanes.push(lane);
  }
  return lanes;
}

const report = readBlock('data-report');
const track = readBlock('data-timeline');
const lateness = readBlock('data-lateness');
const calls = readBlock('data-instances') ?? [];
if (track) track.lanes = readLanes(track, track.ranks.length);
if (track?.regions) track.regions.lanes = readLanes(track.regions, track.ranks.length);

// Places of superblocks, by number: their colours are those of what is like them.
const PLACES = [
  null,
  { id: 'transfer', name: 'receive', help: 'the region starts to receive' },
  { id: 'inside', name: 'send', help: 'the region starts to send' },
  { id: 'compute', name: 'compute', help: 'the region computes' },
  { id: 'work', name: 'pack', help: 'the region packs' },
  { id: 'compute', name: 'unpack', help: 'the region unpacks' },
  { id: 'late', name: 'wait', help: 'asleep before a region, until all has come that it needs, or siblings have had their turn' },
];

const nodes = new Map((report.nodes ?? []).map((node) => [node.node, node]));
const lines = report.lines ?? [];
const run = report.run ?? {};
const ERROR_NS = run.error_max_ns ?? 0;

function nodeText(id) {
  const node = nodes.get(id);
  return node ? node.source || `(${node.wrapper}${node.label ? ` ${node.label}` : ''})` : 'native';
}

function placeText(id) {
  const node = nodes.get(id);
  if (!node) return 'native call';
  const file = (node.file ?? report.map?.file ?? '').split('/').pop();
  return node.line ? `${file || 'map'}:${node.line}` : node.wrapper;
}

// The stages inside each outermost line, out of the timeline's looks.
const stagesOf = new Map();
for (const [, node, visit, operation] of track?.looks ?? []) {
  const key = `${visit}:${operation}`;
  if (!stagesOf.has(key)) stagesOf.set(key, new Set());
  if (node !== visit) stagesOf.get(key).add(node);
}

// A trace within a trace has the time of its stages, and no look of its own: it belongs to the trace before it.
function isInner(line) {
  return line.visited && !line.outermost;
}

function placeOf(id) {
  return (nodes.get(id)?.line ?? 0) * 1e4 + (nodes.get(id)?.column ?? 0);
}

for (const inner of lines.filter(isInner)) {
  const outer = lines.filter((line) => line.outermost && line.operation === inner.operation && placeOf(line.node) < placeOf(inner.node)).sort((a, b) => placeOf(b.node) - placeOf(a.node))[0];
  if (outer) stagesOf.get(`${outer.node}:${outer.operation}`)?.add(inner.node);
}

function isRelated(a, b, operation) {
  return a === b || stagesOf.get(`${a}:${operation}`)?.has(b) || stagesOf.get(`${b}:${operation}`)?.has(a);
}

function communicatorName(key) {
  return report.communicators?.find((c) => c.key === key)?.name ?? `communicator ${key}`;
}

function lineTime(line) {
  return line.time_ns ?? 0;
}
