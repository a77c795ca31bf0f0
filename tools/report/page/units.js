// Units: numbers as a person reads them, each with its unit behind a space that does not break.
const NUMBER = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

function round3(value) {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toFixed(digits);
}

function timeText(ns) {
  if (ns === undefined || ns === null || Number.isNaN(ns)) return '–';
  const size = Math.abs(ns);
  const sign = ns < 0 ? '−' : '';
  if (size < 999.5) return `${sign}${Math.round(size)} ns`;
  if (size < 999.5e3) return `${sign}${round3(size / 1e3)} µs`;
  if (size < 999.5e6) return `${sign}${round3(size / 1e6)} ms`;
  if (size < 119.5e9) return `${sign}${round3(size / 1e9)} s`;
  return `${sign}${Math.floor(size / 60e9)} min ${String(Math.floor((size / 1e9) % 60)).padStart(2, '0')} s`;
}

function countText(count) {
  if (count === undefined) return '–';
  return count < 1e7 ? NUMBER.format(count) : `${round3(count / 1e6)} M`;
}

function numberText(count, noun) {
  return `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function bytesText(bytes) {
  if (bytes === undefined) return '–';
  const names = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let index = 0;
  for (; bytes >= 1024 && index < names.length - 1; index++) bytes /= 1024;
  return index === 0 ? `${bytes} B` : `${bytes >= 100 ? bytes.toFixed(0) : bytes.toFixed(1)} ${names[index]}`;
}

function shareText(part, whole) {
  if (!(whole > 0)) return '–';
  const percent = (100 * part) / whole;
  return part > 0 && percent < 1 ? '<1 %' : `${Math.round(percent)} %`;
}

function errorText(ns) {
  return ns > 0 ? ` ± ${timeText(ns)}` : '';
}

function spreadText(spread, show = timeText) {
  if (!spread) return '–';
  const median = spread.median_ns ?? spread.median ?? spread.median_permille;
  const p95 = spread.p95_ns ?? spread.p95 ?? spread.p95_permille;
  return `${show(median)}, p95 ${show(p95)}, n ${countText(spread.n)}`;
}

// Steps of an axis: 1, 2 or 5 times a power of ten, some `count` of them.
function axisTicks(from, to, count) {
  const raw = (to - from) / Math.max(1, count);
  if (!(raw > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
  const ticks = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push(at);
  return ticks;
}
