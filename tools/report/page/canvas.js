// Canvas: drawing areas that are sharp on any screen and know the palette of the theme.
let paletteCache = null;

function parseColour(text) {
  const value = parseInt(text.trim().slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function palette() {
  if (paletteCache) return paletteCache;
  const style = getComputedStyle(document.documentElement);
  const names = ['compute', 'late', 'inside', 'transfer', 'work', 'overhead', 'unmatched', 'absent', 'paper', 'card', 'ink', 'soft', 'line', 'accent', 'heat-0', 'heat-1', 'heat-2', 'heat-3'];
  paletteCache = { css: {}, rgb: {} };
  for (const name of names) {
    const text = style.getPropertyValue(`--${name}`).trim();
    paletteCache.css[name] = text;
    paletteCache.rgb[name] = parseColour(text);
  }
  return paletteCache;
}

const canvases = new Set();

function redrawAll() {
  paletteCache = null;
  for (const canvas of canvases) canvas.paint();
}

// A canvas of `height()` CSS pixels; `paint(context, width, height, ratio)` is called with pixels of the screen's.
function liveCanvas(label, height, paint) {
  const node = make('canvas', { tabindex: 0, role: 'img', 'aria-label': label });
  const live = { node, width: 0, height: 0, ratio: 1, paint: paintNow, later };
  let pending = false;
  function paintNow() {
    const width = node.clientWidth;
    if (width === 0 || !node.isConnected) return;
    live.ratio = Math.min(2, devicePixelRatio || 1);
    live.width = width;
    live.height = height();
    const [w, h] = [Math.round(width * live.ratio), Math.round(live.height * live.ratio)];
    node.style.height = `${live.height}px`;
    if (node.width !== w || node.height !== h) [node.width, node.height] = [w, h];
    const context = node.getContext('2d');
    context.clearRect(0, 0, w, h);
    paint(context, w, h, live.ratio);
  }
  function later() {
    if (pending) return;
    pending = true;
    requestAnimationFrame(() => {
      pending = false;
      paintNow();
    });
  }
  canvases.add(live);
  let seen = 0;
  new ResizeObserver(() => {
    if (node.clientWidth !== seen) {
      seen = node.clientWidth;
      paintNow();
    }
  }).observe(node);
  return live;
}

function forgetCanvas(live) {
  canvases.delete(live);
}

function packColour([r, g, b]) {
  return (255 << 24) | (b << 16) | (g << 8) | r;
}

// The first segment of a lane that ends behind a time.
function lowerEnd(lane, from) {
  let low = 0;
  let high = lane.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lane.end[middle] > from) high = middle;
    else low = middle + 1;
  }
  return low;
}

// The shares of kinds in each of `width` columns of a lane, between two times: `sums` has a row for each of KINDS and
// one for what is not chosen; what is left of a column is compute.
function coverLane(lane, from, to, width, chosen, sums) {
  const scale = width / (to - from);
  for (let i = lowerEnd(lane, from); i < lane.count && lane.begin[i] < to; i++) {
    const a = Math.max(0, (lane.begin[i] - from) * scale);
    const b = Math.min(width, (lane.end[i] - from) * scale);
    const row = chosen[lane.look[i]] * width;
    const first = Math.floor(a);
    const last = Math.min(width - 1, Math.floor(b));
    if (first === last) sums[row + first] += b - a;
    else {
      sums[row + first] += first + 1 - a;
      for (let x = first + 1; x < last; x++) sums[row + x] += 1;
      sums[row + last] += b - last;
    }
  }
}

const OTHERS = KINDS.length; // the row of what is not chosen

// Which row of sums each look goes to.
function chosenRows(looks, matches) {
  return Uint8Array.from(looks, (look) => (matches(look) ? look[0] : OTHERS));
}

// Paint a lane's shares into pixels [top, bottom) of an image: stacked where there is room, else blended.
function paintShares(pixels, imageWidth, top, bottom, sums, width, colours, present) {
  const height = bottom - top;
  for (let x = 0; x < width; x++) {
    if (x < present[0] || x >= present[1]) continue;
    let rest = 1;
    for (let k = 0; k <= OTHERS; k++) rest -= sums[k * width + x];
    if (height < 4) {
      let r = Math.max(0, rest) * colours.rgb[OTHERS + 1][0], g = Math.max(0, rest) * colours.rgb[OTHERS + 1][1], b = Math.max(0, rest) * colours.rgb[OTHERS + 1][2];
      let whole = Math.max(0, rest);
      for (let k = 0; k <= OTHERS; k++) {
        const share = sums[k * width + x];
        if (share === 0) continue;
        whole += share;
        r += share * colours.rgb[k][0];
        g += share * colours.rgb[k][1];
        b += share * colours.rgb[k][2];
      }
      const colour = packColour([r / whole, g / whole, b / whole]);
      for (let y = top; y < bottom; y++) pixels[y * imageWidth + x] = colour;
      continue;
    }
    let y = bottom;
    let sum = 0;
    for (let k = 0; k <= OTHERS; k++) {
      const share = sums[k * width + x];
      if (share === 0) continue;
      sum += share;
      const end = Math.max(top, Math.round(bottom - sum * height));
      for (; y > end; y--) pixels[(y - 1) * imageWidth + x] = colours.packed[k];
    }
    for (; y > top; y--) pixels[(y - 1) * imageWidth + x] = colours.packed[OTHERS + 1];
  }
}

function laneColours() {
  const { rgb } = palette();
  const list = [...KINDS.map((kind) => rgb[kind.id]), rgb.unmatched, rgb.compute];
  return { rgb: list, packed: Uint32Array.from(list, packColour) };
}
