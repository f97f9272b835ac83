// `pa11y-ci` with its axe runner; one page at a time, since it loses pages with more.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browser, folder, peers, switches, urls } from './peer.mjs';

// The results go to a file: what pa11y-ci writes to a pipe is cut off when it exits.
const [config, fileName] = ['config.json', 'results.json'].map((name) => join(folder, name));
const chromeLaunchConfig = { executablePath: browser, args: switches };
const reporters = [['json', { fileName }]];
const defaults = { runners: ['axe'], concurrency: 1, timeout: 60_000, chromeLaunchConfig, reporters };
writeFileSync(config, JSON.stringify({ defaults, urls }));

const child = spawn(join(peers, '.bin/pa11y-ci'), ['--config', config], { stdio: ['ignore', 'ignore', 'inherit'] });
await new Promise((resolve) => child.once('close', resolve));
for (const [url, issues] of Object.entries(JSON.parse(readFileSync(fileName)).results)) {
  const counts = {};
  for (const { code } of issues) if (code) counts[code] = (counts[code] ?? 0) + 1;
  console.log(JSON.stringify({ url, counts }));
}
console.log('done');
