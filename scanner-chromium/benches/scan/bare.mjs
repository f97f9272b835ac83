// The baseline: axe-core run by a script that does nothing else. It has one browser on a pipe and reuses its tabs;
// there is no settling, no crawl and no guard, and only counts leave a page.
//
//   node bare.mjs BROWSER AXE TABS WAIT_MS PROFILE URL…
//
// Prints "ready" when the browser runs, then a line of JSON for each page.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const [browser, axePath, tabs, wait, profile, ...urls] = process.argv.slice(2);
const axe = readFileSync(axePath, 'utf8');
const COUNTS =
  'axe.run().then((r) => JSON.stringify(Object.fromEntries(r.violations.map((v) => [v.id, v.nodes.length]))))';
const ELEMENTS = `axe.run().then((r) => {
  const counts = {};
  for (const { id, nodes } of r.violations) {
    counts[id] = nodes.length;
    for (const { target } of nodes) {
      const name = id + ' ' + target.flat(Infinity).join(' ');
      counts[name] = (counts[name] ?? 0) + 1;
    }
  }
  return JSON.stringify(counts);
})`;
// Counts each element by name; axe-core also runs in the frames of the page's own site, and no page may hold up the
// others.
const elements = process.env.ELEMENTS === '1';

const child = spawn(
  browser,
  [
    '--headless', '--no-sandbox', '--remote-debugging-pipe', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars',
    '--mute-audio', '--window-size=1280,720', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE 127.0.0.2',
    `--user-data-dir=${profile}`,
  ],
  { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
);

const calls = new Map();
const listeners = new Map();
let lastId = 0;
let rest = '';
child.stdio[4].setEncoding('utf8').on('data', (chunk) => {
  const messages = (rest + chunk).split('\0');
  rest = messages.pop();
  for (const text of messages) {
    const message = JSON.parse(text);
    if (message.id) {
      const { resolve, reject } = calls.get(message.id);
      calls.delete(message.id);
      message.error ? reject(new Error(message.error.message)) : resolve(message.result);
    } else if (message.method === 'Page.javascriptDialogOpening') {
      call(message.sessionId, 'Page.handleJavaScriptDialog', { accept: false }).catch(() => {});
    } else {
      listeners.get(`${message.sessionId} ${message.method}`)?.();
    }
  }
});
const call = (sessionId, method, params = {}) =>
  new Promise((resolve, reject) => {
    calls.set(++lastId, { resolve, reject });
    child.stdio[3].write(`${JSON.stringify({ id: lastId, sessionId, method, params })}\0`);
  });
const once = (sessionId, method) =>
  new Promise((resolve) => listeners.set(`${sessionId} ${method}`, resolve));

const within = (milliseconds, promise) =>
  Promise.race([promise, new Promise((resolve) => setTimeout(resolve, milliseconds))]);

const openTab = async () => {
  const { targetId } = await call(undefined, 'Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await call(undefined, 'Target.attachToTarget', { targetId, flatten: true });
  await call(sessionId, 'Page.enable');
  if (elements) await call(sessionId, 'Page.addScriptToEvaluateOnNewDocument', { source: axe });
  const metrics = { width: 1280, height: 720, deviceScaleFactor: 1, mobile: false };
  await call(sessionId, 'Emulation.setDeviceMetricsOverride', metrics);
  await call(sessionId, 'Emulation.setEmulatedMedia', { features: [{ name: 'prefers-reduced-motion', value: 'reduce' }] });
  return sessionId;
};

const navigate = async (sessionId, url) => {
  const loaded = once(sessionId, 'Page.loadEventFired');
  await call(sessionId, 'Page.navigate', { url });
  await (elements ? within(10_000, loaded) : loaded);
};

const check = async (sessionId, url) => {
  await navigate(sessionId, url);
  if (Number(wait) > 0) await new Promise((resolve) => setTimeout(resolve, Number(wait)));
  const evaluate = (expression) =>
    call(sessionId, 'Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
  await evaluate(`${axe};undefined`);
  const { result } = await evaluate(elements ? ELEMENTS : COUNTS);
  console.log(JSON.stringify({ url, counts: JSON.parse(result.value ?? '{"axe-core failed": 1}') }));
  await navigate(sessionId, 'about:blank');
};

const sessions = await Promise.all(Array.from({ length: Number(tabs) }, openTab));
console.log('ready');
const queue = [...urls];
await Promise.all(
  sessions.map(async (sessionId) => {
    for (let url = queue.shift(); url; url = queue.shift()) {
      const checked = check(sessionId, url);
      // A page that leads away while it is checked is a difference to print, not an end.
      await (elements ? checked.catch(() => console.log(JSON.stringify({ url, counts: { 'led-away': 1 } }))) : checked);
    }
  }),
);
console.log('done');
const closed = new Promise((resolve) => child.once('exit', resolve));
await call(undefined, 'Browser.close');
await closed;
process.exit(0);
