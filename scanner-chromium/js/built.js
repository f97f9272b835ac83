// Resolves when half a second has passed since the page's load, and no element has come or gone for `quiet` milliseconds;
// or at the end of the time that `drawn.js` set: some pages never stop rebuilding themselves. Attributes and texts do not
// count: clocks and carousels change them all the time, and axe-core sees the same elements. The network was quiet a moment
// ago: what it brought may still be on its way into the page.
async (sinceLoad, quiet, arriving) => {
  const from = performance.now() + arriving;
  for (;;) {
    const due = Math.max(from, watch.since + sinceLoad, watch.rebuilt + quiet);
    const left = Math.min(due, watch.until) - performance.now();
    if (left <= 0) return;
    await new Promise((resolve) => setTimeout(resolve, left));
  }
}
