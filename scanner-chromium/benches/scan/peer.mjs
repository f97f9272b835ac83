// The common parts of the peers' scripts. They run with PEERS set to the `node_modules` of the peers, PROFILES set to a
// folder for what they write, and the addresses as arguments.
import { createRequire } from 'node:module';
import { join } from 'node:path';

export const { A11YCHECK_CHROMIUM: browser, A11YCHECK_AXE: axePath, PEERS: peers, PROFILES: folder } = process.env;
export const urls = process.argv.slice(2);
export const require = createRequire(join(peers, 'any.js'));

// Names resolve only to this machine, as for all programs in the run.
export const switches = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE 127.0.0.2',
];

export const report = (url, violations) => {
  const counts = Object.fromEntries(violations.map(({ id, nodes }) => [id, nodes.length]));
  console.log(JSON.stringify({ url, counts }));
};
