// How fast a page opens and answers: node bench/page.mjs FILE [CHROMIUM]. Milliseconds: the median of five, and the worst.
import { statSync } from 'node:fs';
import { Browser } from '../tests/tools/report/page/browser.mjs';

const [file, program = 'chromium'] = process.argv.slice(2);
if (!file) {
  console.error('no page is named: node bench/page.mjs FILE [CHROMIUM]');
  process.exit(2);
}

const FRAMES = '() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))';
// What is done; each is undone by Escape, which is measured as well.
const ACTIONS = {
  'choose a line of the map': "document.querySelector('.source-line[role=button]').click()",
  'choose a box of the path': "document.querySelector('.box[data-node]').click()",
  'choose a rank': "document.querySelector('#timeline .side text').dispatchEvent(new MouseEvent('click'))",
  'show one colour': "document.querySelector('#timeline [data-kind=late]').click()",
  'zoom the timeline': "document.querySelector('#timeline button[aria-label=\"zoom in\"]').click()",
  'move the timeline': "document.querySelector('#timeline canvas').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', shiftKey: true, bubbles: true }))",
  'light or dark': "document.querySelector('#theme').click()",
};

function told(name, times) {
  times.sort((a, b) => a - b);
  console.log(`${name.padEnd(28)}${times[times.length >> 1].toFixed(0).padStart(6)} ms, worst ${times.at(-1).toFixed(0)} ms`);
}

const timed = (action) => `(async () => { const frames = ${FRAMES}; await frames(); const t = performance.now(); ${action}; await frames(); return performance.now() - t; })()`;
const ESCAPE = "document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))";

const browser = new Browser(program);
try {
  console.log(`${file}: ${(statSync(file).size / 1e6).toFixed(2)} MB`);
  const opened = [];
  let tab;
  for (let i = 0; i < 5; i++) {
    tab = await browser.tab();
    await tab.open(file);
    opened.push(Number(await tab.evaluate('document.documentElement.dataset.ready')));
    if (i < 4) await tab.close();
  }
  told('open, until it is drawn', opened);
  const undone = [];
  for (const [name, action] of Object.entries(ACTIONS)) {
    const times = [];
    for (let i = 0; i < 5; i++) {
      times.push(await tab.evaluate(timed(action)));
      undone.push(await tab.evaluate(timed(ESCAPE)));
    }
    told(name, times);
  }
  told('clear by Escape', undone);
} finally {
  await browser.close();
}
