// Checks of pages in one headless Chromium: node check.mjs CHROMIUM KIND FILE [KIND FILE ...]. KIND: full, regions, under, crashed, mapless, native or empty.
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { Browser } from './browser.mjs';

const [program, ...pages] = process.argv.slice(2);
const faults = [];
let kind, file; // of this page

function expect(what, ok, seen = '') {
  if (!ok) faults.push(`${kind}, ${basename(file)}: ${what}${seen === '' ? '' : `: ${JSON.stringify(seen)}`}`);
}

// What a page's own script would say of it, by name.
const ASK = {
  rows: "document.querySelectorAll('#table tbody tr').length",
  operations: "[...new Set([...document.querySelectorAll('#table tbody tr td:nth-child(2)')].map((e) => e.textContent))]",
  maps: "[...document.querySelectorAll('#lateness option')].map((e) => e.textContent)",
  chips: "[...document.querySelectorAll('.chip')].map((e) => e.textContent)",
  calls: "[...document.querySelectorAll('#instances figcaption .small')].map((e) => e.textContent)",
  view: "document.querySelector('#timeline .tools .soft').textContent",
  theme: 'document.documentElement.dataset.theme',
  hash: 'location.hash',
  focus: "document.activeElement.id || document.activeElement.tagName",
};

// A sum of a canvas' pixels: other pictures have another.
function picture(section) {
  return `(() => { const c = document.querySelector('#${section} canvas'); if (!c || !c.width) return 0; const d = c.toDataURL(); let sum = 7; for (let i = 0; i < d.length; i++) sum = (sum * 31 + d.charCodeAt(i)) >>> 0; return sum; })()`;
}

// Texts whose contrast with what is behind them is less than 4.5.
const PALE = `(() => {
  const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const known = new Map(); // to read a pixel takes longer than all the rest
  const painted = (text) => { context.clearRect(0, 0, 1, 1); context.fillStyle = text; context.fillRect(0, 0, 1, 1); return [...context.getImageData(0, 0, 1, 1).data]; };
  const rgba = (text) => { if (!known.has(text)) known.set(text, painted(text)); return known.get(text); };
  const light = ([r, g, b]) => { const [x, y, z] = [r, g, b].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)); return 0.2126 * x + 0.7152 * y + 0.0722 * z; };
  const behind = (e) => { for (; e; e = e.parentElement) { const c = rgba(getComputedStyle(e).backgroundColor); if (c[3] > 200) return c; } return [255, 255, 255]; };
  const veil = (e) => { let all = 1; for (; e; e = e.parentElement) all *= Number(getComputedStyle(e).opacity); return all; };
  const found = new Map();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.textContent.trim() || e.closest('script,style,noscript,[hidden],dialog:not([open])') || e.getClientRects().length === 0) continue;
    const style = getComputedStyle(e);
    const back = behind(e);
    const ink = rgba(e.ownerSVGElement ? style.fill : style.color).map((v, i) => back[i] + (v - back[i]) * veil(e));
    const [a, b] = [light(ink), light(back)].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) found.set(e.tagName + '.' + e.className.toString() + ' ' + walk.currentNode.textContent.trim().slice(0, 30), contrast.toFixed(2));
  }
  return [...found].slice(0, 8);
})()`;

function checkText() {
  const text = readFileSync(file, 'utf8');
  const page = text.replace(/<script type="application\/json"[\s\S]*?<\/script>/g, '');
  expect('the page is under 5 MB', statSync(file).size < 5e6, statSync(file).size);
  expect('the page names no address on a network', !/(https?:)?\/\/[a-z0-9-]+\.[a-z]/i.test(page), page.match(/.{20}(https?:)?\/\/[a-z0-9-]+\.[a-z].{20}/i)?.[0]);
  expect('the page refers to no other file', !/(src|href)\s*=\s*["']?(?!#|data:)[\w/.]/i.test(page.replace(/<script[\s\S]*<\/script>/, '')));
  for (const [, block] of text.matchAll(/<script type="application\/json"[^>]*>([\s\S]*?)<\/script>/g)) {
    expect('a block of data holds no tag', !block.includes('<'));
    JSON.parse(block);
  }
}

async function checkLooks(tab, name) {
  const pale = await tab.evaluate(PALE);
  expect(`${name}: text can be read`, pale.length === 0, pale);
  const wide = await tab.evaluate('[document.documentElement.scrollWidth, innerWidth]');
  expect(`${name}: nothing sticks out at the side`, wide[0] <= wide[1], wide);
  expect(`${name}: there is a sentence`, (await tab.evaluate("document.querySelector('h1')?.textContent.length ?? 0")) > 10);
  const bare = await tab.evaluate("[...document.querySelectorAll('section:not([hidden])')].filter((s) => s.querySelector('canvas,.source,.arcs,#delays .stack') && !s.querySelector('details,table')).map((s) => s.id)");
  expect(`${name}: a table is behind every chart`, bare.length === 0, bare);
  const mute = await tab.evaluate("[...document.querySelectorAll('canvas,svg[role],button,input,select')].filter((e) => !e.closest('[aria-hidden]') && !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length)).map((e) => e.outerHTML.slice(0, 80))");
  expect(`${name}: whatever can be used has a name`, mute.length === 0, mute);
}

async function checkFilter(tab) {
  const all = { rows: await tab.evaluate(ASK.rows), heat: await tab.evaluate(picture('lateness')), time: await tab.evaluate(picture('timeline')), maps: await tab.evaluate(ASK.maps) };
  expect('there are lines', all.rows > 2, all.rows);
  const operations = await tab.evaluate(ASK.operations);
  const word = operations.find((name) => !all.maps[0].startsWith(`${name}:`) && all.maps.some((map) => map.startsWith(`${name}:`)));
  await tab.press('/');
  expect('the key / goes to the filter', (await tab.evaluate(ASK.focus)) === 'filter', await tab.evaluate(ASK.focus));
  await tab.send('Input.insertText', { text: word });
  await tab.settle();
  const some = await tab.evaluate(ASK.operations);
  expect('the filter leaves the lines that match in the table', some.length > 0 && some.length < operations.length && some.every((name) => name.includes(word)), some);
  expect('the filter changes the timeline', (await tab.evaluate(picture('timeline'))) !== all.time);
  expect('the filter changes the heat map', (await tab.evaluate(picture('lateness'))) !== all.heat);
  expect('the filter changes the calls', (await tab.evaluate(ASK.calls)).every((text) => text.includes(word)), await tab.evaluate(ASK.calls));
  await tab.press('Escape');
  expect('Escape clears the filter', (await tab.evaluate(ASK.rows)) === all.rows);
  expect('Escape brings the timeline back', (await tab.evaluate(picture('timeline'))) === all.time);
  await tab.click(`.box[data-operation="${word}"]`);
  expect('a click on a box leaves its lines', (await tab.evaluate(ASK.rows)) < all.rows);
  expect('a click on a box changes the timeline', (await tab.evaluate(picture('timeline'))) !== all.time);
  expect('a click on a box changes the heat map', (await tab.evaluate(picture('lateness'))) !== all.heat);
  expect('what is chosen is named', (await tab.evaluate(ASK.chips)).length === 1);
  await tab.evaluate('new Promise((done) => { const look = () => location.hash.includes("node=") ? done(1) : requestAnimationFrame(look); look(); })');
  const same = { rows: await tab.evaluate(ASK.rows), time: await tab.evaluate(picture('timeline')), hash: await tab.evaluate(ASK.hash) };
  const other = await tab.browser.tab();
  await other.open(file, same.hash);
  await other.settle();
  expect('the address shows the same view', (await other.evaluate(ASK.rows)) === same.rows && (await other.evaluate(picture('timeline'))) === same.time);
  await checkLooks(other, 'filtered');
  await other.close();
  await tab.press('Escape');
  expect('Escape clears what is chosen', (await tab.evaluate(ASK.rows)) === all.rows && (await tab.evaluate(ASK.chips)).length === 0);
}

async function focusOn(tab, selector) {
  await tab.evaluate(`document.querySelector('${selector}').focus({ preventScroll: true })`);
}

async function checkKeys(tab) {
  await tab.press('?');
  expect('the key ? lists the keys', await tab.evaluate("document.getElementById('keys').open && document.querySelectorAll('#keys dt').length > 5"));
  await tab.press('Escape');
  expect('Escape closes the list', !(await tab.evaluate("document.getElementById('keys').open")));
  await focusOn(tab, '#timeline canvas');
  const before = await tab.evaluate(ASK.view);
  await tab.press('+');
  const near = await tab.evaluate(ASK.view);
  expect('the key + zooms', near !== before, near);
  await tab.press('ArrowRight', 8);
  expect('Shift and an arrow move', (await tab.evaluate(ASK.view)) !== near);
  await tab.press('0');
  expect('the key 0 shows all', (await tab.evaluate(ASK.view)) === before);
  await tab.press('ArrowDown');
  await tab.press('ArrowRight');
  expect('arrows move in the timeline and say where', (await tab.evaluate("document.getElementById('timeline-said').textContent")).includes('rank'));
  await tab.press('Enter');
  expect('Enter chooses the rank', (await tab.evaluate(ASK.chips)).some((text) => text.includes('rank')));
  await tab.press('Escape');
  await focusOn(tab, '#lateness canvas');
  await tab.press('ArrowRight');
  await tab.press('ArrowDown');
  expect('arrows move in the heat map and say where', (await tab.evaluate("document.getElementById('heat-said').textContent")).startsWith('rank'));
  await tab.press('Enter');
  expect('Enter opens the cell in the timeline', (await tab.evaluate(ASK.view)) !== before);
  await tab.press('Escape');
  await tab.press('Tab');
  const outline = await tab.evaluate('getComputedStyle(document.activeElement).outlineStyle');
  expect('what has the focus shows it', outline !== 'none', outline);
}

async function checkPointer(tab) {
  await focusOn(tab, '#timeline canvas');
  const box = await tab.evaluate("(() => { const c = document.querySelector('#timeline canvas'); c.scrollIntoView({ block: 'center', behavior: 'instant' }); const b = c.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()");
  const [x, y] = [box[0] + box[2] / 2, Math.max(60, box[1] + 3)];
  const before = await tab.evaluate(ASK.view);
  await tab.mouse('mouseMoved', x, y);
  await tab.settle();
  expect('the pointer tells rank and time', /rank \d+.*, at /.test(await tab.evaluate("document.getElementById('tip').textContent")));
  await tab.mouse('mouseWheel', x, y, { deltaX: 0, deltaY: -600 });
  await tab.settle();
  await tab.evaluate(`new Promise((done) => { const look = () => ${ASK.view} !== ${JSON.stringify(before)} ? done(1) : requestAnimationFrame(look); look(); })`);
  const near = await tab.evaluate(ASK.view);
  await tab.mouse('mousePressed', x, y, { button: 'left', clickCount: 1 });
  await tab.mouse('mouseMoved', x - 150, y, { button: 'left', buttons: 1 });
  await tab.mouse('mouseReleased', x - 150, y, { button: 'left', clickCount: 1 });
  await tab.settle();
  expect('dragging moves', (await tab.evaluate(ASK.view)) !== near);
  await tab.click('#timeline [data-kind=late]');
  expect('a colour can be chosen', (await tab.evaluate(ASK.chips)).some((text) => text.startsWith('wait: late')));
  await tab.press('Escape');
}

// Bars beneath the calls, and what a region is where the cursor stands.
async function checkRegions(tab) {
  expect('regions have a legend', (await tab.evaluate("document.querySelectorAll('#timeline .legend')[1].textContent")).includes('wait'));
  expect('superblocks say what they hide', (await tab.evaluate("document.getElementById('timeline').textContent")).includes('Superblock “steps”: an iteration computes'));
  await focusOn(tab, '#timeline canvas');
  const said = [];
  for (let i = 0; i < 20; i++) {
    await tab.press('ArrowRight');
    said.push(await tab.evaluate("document.getElementById('timeline-said').textContent"));
  }
  expect('the timeline tells of regions', said.some((text) => /(receive|send|wait|compute) of superblock “steps”/.test(text)), said.slice(0, 3));
  await tab.press('Escape');
}

async function checkThemes(tab) {
  const paper = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).reduce((a, b) => a + Number(b), 0)";
  expect('light by day', (await tab.evaluate(paper)) > 600);
  await tab.dark(true);
  await tab.settle();
  expect('dark where the reader prefers it', (await tab.evaluate(paper)) < 200);
  await checkLooks(tab, 'dark');
  await tab.press('t');
  expect('the key t changes it', (await tab.evaluate(ASK.theme)) === 'light');
  await tab.dark(false);
  await tab.press('t');
  expect('and back', (await tab.evaluate(ASK.theme)) === 'dark');
  await tab.press('t');
}

const KINDS = {
  async full(tab) {
    await checkFilter(tab);
    await checkKeys(tab);
    await checkPointer(tab);
    expect('it prints', (await tab.print()).length > 10000);
  },
  async regions(tab) {
    await KINDS.full(tab);
    await checkRegions(tab);
  },
  async under(tab) {
    await KINDS.full(tab);
    const bars = await tab.evaluate("[...document.querySelectorAll('#under .under')].map((e) => [e.querySelector('b').textContent, e.querySelector('.length').getBoundingClientRect().width, e.querySelector('.num').textContent])");
    expect('each map has a bar', bars.length === 3 && bars[1][0] === 'native.scm' && bars.every(([, width]) => width > 0), bars);
    expect('another map has another time, with a bound', bars.slice(1).every(([, width, text]) => width !== bars[0][1] && /±.*times as fast/.test(text)), bars);
    expect('each map has a table of calls', (await tab.evaluate("document.querySelectorAll('#under details').length")) === 2);
  },
  async crashed(tab) {
    expect('it says that the job died', (await tab.evaluate("document.querySelector('.alarm')?.textContent ?? ''")).includes('did not end by itself'));
  },
  async mapless(tab) {
    expect('it says that there is no map', (await tab.evaluate("document.getElementById('map').textContent")).includes('no map'));
  },
  async native(tab) {
    expect('the calls are there', (await tab.evaluate(ASK.rows)) > 0);
  },
  async empty(tab) {
    expect('it says that there are no calls', (await tab.evaluate("document.getElementById('table').textContent")).includes('No call'));
  },
};

async function checkPage(browser) {
  checkText();
  const tab = await browser.tab();
  await tab.open(file);
  await tab.settle();
  await checkLooks(tab, 'light');
  await KINDS[kind](tab);
  await checkThemes(tab);
  await tab.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })");
  await tab.settle();
  await checkLooks(tab, 'with all tables open');
  expect('the console is silent', tab.complaints.length === 0, tab.complaints);
  expect('nothing is asked of a network', tab.requests.every((url) => url.startsWith('file:')), tab.requests);
  await tab.close();
}

const browser = new Browser(program);
try {
  for (let i = 0; i < pages.length; i += 2) {
    [kind, file] = pages.slice(i, i + 2);
    await checkPage(browser);
  }
} finally {
  await browser.close();
}
faults.forEach((fault) => console.log(`FAILED: ${fault}`));
process.exit(faults.length ? 1 : 0);
