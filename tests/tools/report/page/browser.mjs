// A headless Chromium, driven over a pair of pipes by the DevTools protocol; needs nothing but node.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

// The keys whose names are not what they write.
const KEY_CODES = { Escape: 27, Tab: 9, Enter: 13, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40 };

// Longer than anything asked here takes on a busy machine.
const PATIENCE_MS = 60000;

export class Browser {
  constructor(program) {
    this.home = mkdtempSync(join(tmpdir(), 'waymark-page-'));
    const flags = ['--headless=new', '--remote-debugging-pipe', '--no-first-run', '--no-default-browser-check', '--disable-gpu', '--hide-scrollbars', '--disable-background-networking', `--user-data-dir=${this.home}`];
    if (process.getuid?.() === 0) flags.push('--no-sandbox');
    this.process = spawn(program, flags, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    this.gone = new Promise((done) => this.process.once('exit', done));
    this.waiting = new Map();
    this.listeners = [];
    this.number = 0;
    let rest = '';
    this.process.stdio[4].setEncoding('utf8').on('data', (text) => {
      const parts = (rest + text).split('\0');
      rest = parts.pop();
      parts.forEach((part) => this.take(JSON.parse(part)));
    });
    this.process.once('exit', () => this.waiting.forEach(({ fail }) => fail(new Error('the browser ended'))));
  }

  take(message) {
    const call = this.waiting.get(message.id);
    if (!call) return this.listeners.forEach((listener) => listener(message));
    this.waiting.delete(message.id);
    if (message.error) call.fail(new Error(`${call.method}: ${message.error.message}`));
    else call.done(message.result);
    return undefined;
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.number;
    return new Promise((answered, failed) => {
      const patience = setTimeout(() => fail(new Error(`no answer in ${PATIENCE_MS / 1000} s: ${method} ${JSON.stringify(params).slice(0, 300)}`)), PATIENCE_MS);
      const done = (result) => { clearTimeout(patience); answered(result); };
      const fail = (error) => { clearTimeout(patience); this.waiting.delete(id); failed(error); };
      this.waiting.set(id, { done, fail, method });
      this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  // A new tab; what its console and its exceptions say is kept in `complaints`, what it asks the network for in `requests`.
  async tab({ width = 1280, height = 900, dark = false, scale = 1 } = {}) {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const tab = new Tab(this, targetId, sessionId);
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await tab.send(`${domain}.enable`);
    await tab.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: scale, mobile: false });
    await tab.dark(dark);
    return tab;
  }

  async close() {
    await this.send('Browser.close').catch(() => {});
    await this.gone;
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }
}

class Tab {
  constructor(browser, targetId, sessionId) {
    Object.assign(this, { browser, targetId, sessionId, complaints: [], requests: [], loaded: null });
    browser.listeners.push((message) => message.sessionId === sessionId && this.hear(message));
  }

  hear({ method, params }) {
    if (method === 'Runtime.exceptionThrown') this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === 'Runtime.consoleAPICalled') this.complaints.push(`console: ${params.args.map((a) => a.value ?? a.description).join(' ')}`);
    if (method === 'Log.entryAdded') this.complaints.push(`${params.entry.source}: ${params.entry.text}`);
    if (method === 'Network.requestWillBeSent' && !params.request.url.startsWith('data:')) this.requests.push(params.request.url);
    if (method === 'Page.loadEventFired') this.loaded?.();
  }

  send(method, params) {
    return this.browser.send(method, params, this.sessionId);
  }

  // No motion: a place that is asked for must not scroll on afterwards.
  dark(on) {
    return this.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: on ? 'dark' : 'light' }, { name: 'prefers-reduced-motion', value: 'reduce' }] });
  }

  // Open a file, and wait until the page says that it is there.
  async open(file, hash = '') {
    const loaded = new Promise((done) => { this.loaded = done; });
    await this.send('Page.navigate', { url: pathToFileURL(resolve(file)).href + hash });
    await loaded;
    await this.evaluate('new Promise((done) => { const look = () => document.documentElement.dataset.ready ? requestAnimationFrame(done) : requestAnimationFrame(look); look(); }).then(() => 1)');
  }

  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true, userGesture: true });
    if (exceptionDetails) throw new Error(`${expression.slice(0, 120)}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  }

  // After two frames everything that was asked to be drawn is.
  settle() {
    return this.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => done(1)))))');
  }

  async press(key, modifiers = 0) {
    const text = key.length === 1 ? key : key === 'Enter' ? '\r' : undefined;
    const known = KEY_CODES[key] ? { windowsVirtualKeyCode: KEY_CODES[key], code: key } : {};
    await this.send('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', key, text, modifiers, ...known });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key, modifiers, ...known });
    await this.settle();
  }

  async mouse(type, x, y, more = {}) {
    await this.send('Input.dispatchMouseEvent', { type, x, y, ...more });
  }

  async click(selector) {
    const [x, y] = await this.evaluate(`(() => { const e = document.querySelector(${JSON.stringify(selector)}); e.scrollIntoView({ block: 'center', behavior: 'instant' }); const b = e.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; })()`);
    await this.mouse('mousePressed', x, y, { button: 'left', clickCount: 1 });
    await this.mouse('mouseReleased', x, y, { button: 'left', clickCount: 1 });
    await this.settle();
  }

  // PNG of the whole page, or of what the window shows.
  async picture(whole = true) {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: whole, ...(whole ? { clip: await this.extent() } : {}) });
    return Buffer.from(data, 'base64');
  }

  async extent() {
    const { cssContentSize } = await this.send('Page.getLayoutMetrics');
    return { x: 0, y: 0, width: cssContentSize.width, height: cssContentSize.height, scale: 1 };
  }

  async print() {
    const { data } = await this.send('Page.printToPDF', { printBackground: true, preferCSSPageSize: true });
    return Buffer.from(data, 'base64');
  }

  close() {
    return this.browser.send('Target.closeTarget', { targetId: this.targetId });
  }
}
