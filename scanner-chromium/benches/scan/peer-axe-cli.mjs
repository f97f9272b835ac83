// `@axe-core/cli` in two processes, each with half of the addresses.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { axePath, browser, folder, peers, report, switches, urls } from './peer.mjs';

const run = (name, part) =>
  new Promise((resolve, reject) => {
    const options = [
      '--chrome-path', browser,
      '--chromedriver-path', process.env.A11YCHECK_BENCH_CHROMEDRIVER,
      '--chrome-options', switches.map((name) => name.slice(2)).filter((name) => !name.includes(',')).join(','),
      '--axe-source', axePath,
      '--dir', folder,
      '--save', name,
    ];
    const child = spawn(join(peers, '.bin/axe'), [...part, ...options], { stdio: ['ignore', 'ignore', 'inherit'] });
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`axe ended with ${code}`))));
  });

const half = Math.ceil(urls.length / 2);
await Promise.all([run('a.json', urls.slice(0, half)), run('b.json', urls.slice(half))]);
for (const name of ['a.json', 'b.json']) {
  for (const { url, violations } of JSON.parse(readFileSync(join(folder, name)))) report(url, violations);
}
console.log('done');
