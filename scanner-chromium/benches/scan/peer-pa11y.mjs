// `pa11y-ci` with its axe runner; one page at a time, since it loses pages with more.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browser, folder, peers, switches, urls } from './peer.mjs';

const config = join(folder, 'pa11y.json');
const chromeLaunchConfig = { executablePath: browser, args: switches };
const defaults = { runners: ['axe'], concurrency: 1, timeout: 60_000, chromeLaunchConfig };
writeFileSync(config, JSON.stringify({ defaults, urls }));

const child = spawn(join(peers, '.bin/pa11y-ci'), ['--json', '--config', config], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
let text = '';
child.stdout.setEncoding('utf8').on('data', (chunk) => (text += chunk));
await new Promise((resolve) => child.once('close', resolve));
for (const [url, issues] of Object.entries(JSON.parse(text).results)) {
  const counts = {};
  for (const { code } of issues) if (code) counts[code] = (counts[code] ?? 0) + 1;
  console.log(JSON.stringify({ url, counts }));
}
console.log('done');
