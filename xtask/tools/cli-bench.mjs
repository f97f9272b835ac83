// `cargo xtask bench cli`: one command over real pages, beside the commands that others use, with the same browser and axe-core; then what
// each of them says when a page, the site or the browser is missing.
//
// Reads A11YCHECK_BENCH_PROGRAM (ours), A11YCHECK_BENCH_CORPUS, A11YCHECK_BENCH_PEERS, A11YCHECK_BENCH_CHROMIUM,
// A11YCHECK_BENCH_CHROMEDRIVER, A11YCHECK_AXE. Arguments: `--rounds N` (1), `--pages N` (all), `--only NAME`, `--outcomes` (no times).
// Ends with 1 if ours said success and was wrong. Nothing is asked of any network but loopback.
import { fork, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(import.meta.url);
const {
  A11YCHECK_BENCH_PROGRAM: program,
  A11YCHECK_BENCH_CORPUS: corpus,
  A11YCHECK_BENCH_PEERS: peers,
  A11YCHECK_BENCH_CHROMIUM: chromium,
  A11YCHECK_BENCH_CHROMEDRIVER: chromedriver,
  A11YCHECK_AXE: axe,
} = process.env;

/** The time limits of one command, in ms. */
const LONGEST = { pages: 1_800_000, outcome: 180_000 };
const NOWHERE = '/nonexistent/chromium';

const TYPES = {
  '.html': 'text/html; charset=utf-8', '.css': 'text/css', '.js': 'text/javascript', '.mjs': 'text/javascript', '.svg': 'image/svg+xml',
  '.png': 'image/png', '.jpg': 'image/jpeg', '.gif': 'image/gif', '.webp': 'image/webp', '.json': 'application/json',
  '.woff': 'font/woff', '.woff2': 'font/woff2', '.ico': 'image/x-icon',
};

const document = (title, body) =>
  `<!doctype html><html lang=en><head><meta charset=utf-8><title>${title}</title></head><body><main><h1>${title}</h1>${body}</main></body></html>`;
const OWN = {
  '/clean/1': document('One', '<p>Nothing is wrong.</p>'),
  '/clean/2': document('Two', '<p>Nothing is wrong.</p>'),
  '/faulty': document('Faulty', '<p><img src="data:," width=20 height=20></p>'),
};

/** Serves the corpus and the pages above, in a process of its own. */
function serve() {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://x').pathname);
    const answer = (status, type, body) => response.writeHead(status, { 'content-type': type }).end(body);
    if (OWN[path]) return answer(200, TYPES['.html'], OWN[path]);
    const file = join(corpus, normalize(path));
    if (!file.startsWith(corpus)) return answer(404, 'text/plain', 'not here');
    try {
      answer(200, TYPES[extname(file)] ?? 'application/octet-stream', readFileSync(file));
    } catch {
      answer(404, 'text/plain', 'not here');
    }
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
  process.once('disconnect', () => process.exit());
}

/** The processes that descend from one, by /proc. */
function tree(root) {
  const parents = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // The program's name is in parentheses and may contain anything.
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(')').pop().trim().split(' ');
      parents.set(Number(name), Number(fields[1]));
    } catch {
      // It has ended.
    }
  }
  return [...parents.keys()].filter((pid) => {
    while (pid !== undefined && pid !== root) pid = parents.get(pid);
    return pid === root;
  });
}

/** Memory in KiB, with what processes share divided among them (PSS). */
function memory(pid) {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Runs a command. It and all that it started are ended at its time limit. */
function run([name, ...args], { limit, cwd, env = {}, input }) {
  return new Promise((resolve) => {
    const started = process.hrtime.bigint();
    const child = spawn(name, args, { cwd, env: { ...process.env, ...env }, stdio: ['pipe', 'ignore', 'pipe'], detached: true });
    let peak = 0;
    let said = '';
    let isLate = false;
    const look = () => (peak = Math.max(peak, tree(child.pid).map(memory).reduce((sum, pss) => sum + pss, 0)));
    const looking = setInterval(look, 500);
    const late = setTimeout(() => {
      isLate = true;
      for (const pid of tree(child.pid).reverse()) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It has ended.
        }
      }
    }, limit);
    child.stderr.on('data', (text) => (said = (said + text).slice(-2_000)));
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
    child.once('error', (error) => (said = String(error)));
    child.once('close', (code, signal) => {
      clearInterval(looking);
      clearTimeout(late);
      const seconds = Number(process.hrtime.bigint() - started) / 1e9;
      resolve({ code: isLate ? 'time limit' : (code ?? signal), seconds, peak: Math.round(peak / 1024), said });
    });
  });
}

const switches = ['--no-sandbox', '--disable-dev-shm-usage'];
const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const count = (list, of) => list.reduce((sum, entry) => sum + of(entry), 0);

/** The `axe` of @axe-core/cli, in as many processes as there are parts. */
const axeCli = (parts) => async (urls, { cwd, browser, limit, isGate }) => {
  const size = Math.ceil(urls.length / parts);
  const lists = Array.from({ length: parts }, (_, part) => urls.slice(part * size, (part + 1) * size)).filter((list) => list.length);
  const runs = await Promise.all(lists.map((list, part) => {
    const options = [
      '--chrome-path', browser, '--chromedriver-path', chromedriver, '--axe-source', axe, '--dir', cwd, '--save', `${part}.json`,
      '--chrome-options', switches.map((name) => name.slice(2)).join(','), ...(isGate ? ['--exit'] : []),
    ];
    return run([join(peers, '.bin/axe'), ...list, ...options], { limit, cwd });
  }));
  const pages = () => lists.flatMap((_, part) => read(join(cwd, `${part}.json`)));
  return {
    code: runs.map(({ code }) => code).find((code) => code !== 0) ?? 0,
    peak: count(runs, ({ peak }) => peak),
    said: runs.map(({ said }) => said).join(''),
    pages: () => pages().length,
    elements: () => count(pages(), ({ violations }) => count(violations, ({ nodes }) => nodes.length)),
  };
};

/** Our command. Those of others take no pictures. */
const ownCommand = (pictures) => async (urls, { cwd, browser, limit }) => {
  const command = [
    program, 'check', '-', '--quiet', '--no-sandbox', '--chromium', browser, '-o', 'json=run.json', '-o', 'text', ...pictures,
  ];
  const done = await run(command, { limit, cwd, input: urls.join('\n') });
  const result = () => read(join(cwd, 'run.json'));
  return {
    ...done,
    pages: () => result().pages.filter(({ state }) => state === 'checked').length,
    elements: () => count(result().pages, ({ problems, recommendations }) => problems + recommendations),
  };
};
const WITH_PICTURES = 'a11ycheck, with pictures';

/** The commands. Each returns its exit code, its memory, and functions for the pages and elements that it reports. */
const CONTENDERS = {
  a11ycheck: ownCommand(['--no-pictures']),
  [WITH_PICTURES]: ownCommand([]),
  'pa11y-ci': async (urls, { cwd, browser, limit, threshold = 0 }) => {
    const fileName = join(cwd, 'results.json');
    const chromeLaunchConfig = { executablePath: browser, args: switches };
    const defaults = { runners: ['axe'], timeout: 60_000, threshold, chromeLaunchConfig, reporters: [['json', { fileName }]] };
    writeFileSync(join(cwd, 'config.json'), JSON.stringify({ defaults, urls }));
    const done = await run([join(peers, '.bin/pa11y-ci'), '--config', join(cwd, 'config.json')], { limit, cwd });
    const results = () => Object.values(read(fileName).results).filter((issues) => issues.every(({ code }) => code));
    return { ...done, pages: () => results().length, elements: () => count(results(), (issues) => issues.length) };
  },
  '@axe-core/cli': axeCli(1),
  '@axe-core/cli, two processes': axeCli(2),
  'lhci collect': async (urls, { cwd, browser, limit }) => {
    const settings = { onlyCategories: ['accessibility'], chromeFlags: switches.concat('--headless=new').join(' ') };
    const collect = { url: urls, numberOfRuns: 1, chromePath: browser, settings };
    writeFileSync(join(cwd, 'lighthouserc.json'), JSON.stringify({ ci: { collect } }));
    const done = await run([join(peers, '.bin/lhci'), 'collect'], { limit, cwd, env: { CHROME_PATH: browser } });
    const results = () => readdirSync(join(cwd, '.lighthouseci')).filter((name) => /^lhr-.*\.json$/.test(name)).map((name) => read(join(cwd, '.lighthouseci', name)));
    const failed = ({ audits }) => Object.values(audits).filter(({ score, details }) => score === 0 && details?.items);
    return { ...done, pages: () => results().length, elements: () => count(results(), (run) => count(failed(run), ({ details }) => details.items.length)) };
  },
};

const known = (get) => {
  try {
    return get();
  } catch {
    return '–';
  }
};

async function inFolder(work) {
  const cwd = mkdtempSync(join(tmpdir(), 'a11ycheck-bench-'));
  try {
    return await work(cwd);
  } finally {
    rmSync(cwd, { recursive: true, force: true, maxRetries: 5 });
  }
}

function table(head, rows) {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => String(row[column]).length)));
  const line = (row) => `| ${row.map((cell, column) => String(cell).padEnd(widths[column])).join(' | ')} |`;
  console.log([line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)].join('\n'), '\n');
}

async function times(names, urls, rounds) {
  const best = new Map();
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const done = await inFolder(async (cwd) => {
        const started = process.hrtime.bigint();
        const done = await CONTENDERS[name](urls, { cwd, browser: chromium, limit: LONGEST.pages, isGate: false });
        const seconds = Number(process.hrtime.bigint() - started) / 1e9;
        return { seconds, code: done.code, peak: done.peak, said: done.said, pages: known(done.pages), elements: known(done.elements) };
      });
      console.error(`    round ${round + 1}: ${name}: ${done.seconds.toFixed(1)} s, exit code ${done.code}`);
      if (done.pages !== urls.length) console.error(done.said.split('\n').slice(-12).join('\n'));
      if (!best.has(name) || done.seconds < best.get(name).seconds) best.set(name, done);
    }
  }
  const ours = best.get('a11ycheck');
  console.log(`${urls.length} pages, the fastest of ${rounds}; ratios are those of this run`);
  table(
    ['command', 'seconds', 'times ours', 'peak MiB', 'pages with a result', 'elements', 'exit code'],
    names.map((name) => {
      const { seconds, peak, pages, elements, code } = best.get(name);
      return [name, seconds.toFixed(1), ours ? (seconds / ours.seconds).toFixed(2) : '–', peak, pages, elements, code];
    }),
  );
}

/** What must not end with 0, by what is asked of each. */
async function outcomes(names, at) {
  const clean = [at('/clean/1'), at('/clean/2')];
  // A port of this machine at which nobody listens.
  const port = await new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
  const down = (path) => `http://127.0.0.1:${port}${path}`;
  const cases = [
    ['two clean pages', { urls: clean, isGood: true }],
    ['a page with a fault', { urls: [...clean, at('/faulty')] }],
    ['one page cannot be reached', { urls: [...clean, down('/')] }],
    ['one page is missing (404)', { urls: [...clean, at('/gone')] }],
    ['the site is down', { urls: [down('/'), down('/a')] }],
    ['the browser is missing', { urls: clean, browser: NOWHERE }],
  ];
  const all = [...names.filter((name) => name !== WITH_PICTURES), ...(names.includes('pa11y-ci') ? ['pa11y-ci --threshold 5'] : [])];
  let isOursWrong = false;
  const rows = [];
  for (const [what, { urls, browser = chromium, isGood = false }] of cases) {
    const cells = [];
    for (const name of all) {
      const [contender, threshold] = name.split(' --threshold ');
      const options = { browser, limit: LONGEST.outcome, isGate: true, threshold: Number(threshold ?? 0) };
      const { code } = await inFolder((cwd) => CONTENDERS[contender](urls, { cwd, ...options }));
      // One fault is within a threshold of five.
      const isRight = isGood || (threshold && what === 'a page with a fault') ? code === 0 : code !== 0;
      cells.push(isRight ? `${code}` : `${code} (wrong)`);
      if (contender === 'a11ycheck' && !isRight) isOursWrong = true;
    }
    rows.push([what, ...cells]);
  }
  console.log('Exit codes; "wrong" is success where something was not checked or was found. lhci judges with a command of its own');
  table(['case', ...all], rows);
  return isOursWrong;
}

async function main() {
  const argument = (name) => {
    const at = process.argv.indexOf(name);
    return at < 0 ? undefined : process.argv[at + 1];
  };
  const only = argument('--only');
  const names = Object.keys(CONTENDERS).filter((name) => !only || name === only);
  const server = fork(here, ['serve']);
  const port = await new Promise((resolve) => server.once('message', resolve));
  try {
    const at = (path) => `http://127.0.0.1:${port}${path}`;
    const listed = join(dirname(here), '../../scanner-chromium/benches/scan/corpus.txt');
    const paths = readFileSync(listed, 'utf8').trim().split('\n').slice(0, Number(argument('--pages') ?? Infinity));
    if (!process.argv.includes('--outcomes')) await times(names, paths.map(at), Number(argument('--rounds') ?? 1));
    console.log('oobee is not measured: no package of npm has it.');
    if (await outcomes(names, at)) process.exitCode = 1;
  } finally {
    server.disconnect();
  }
}

await (process.argv[2] === 'serve' ? serve() : main());
