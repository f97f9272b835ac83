// `@axe-core/playwright` as its README shows it, in two workers with a browser each, as a test runner would. It reports
// two violations more than the others: in the browser's own error page, in a frame that can't be loaded from this
// machine.
import { browser as executablePath, report, require, switches, urls } from './peer.mjs';

const { chromium } = require('playwright-core');
const { AxeBuilder } = require('@axe-core/playwright');

const queue = [...urls];
const work = async () => {
  const browser = await chromium.launch({ executablePath, args: switches });
  for (let url = queue.shift(); url; url = queue.shift()) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(url);
    report(url, (await new AxeBuilder({ page }).analyze()).violations);
    await context.close();
  }
  await browser.close();
};
await Promise.all([work(), work()]);
console.log('done');
