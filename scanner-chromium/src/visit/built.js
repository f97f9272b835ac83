// Resolves to true when half a second has passed since the page's load, and no element was added or removed for `quiet`
// milliseconds; or to false after `limit` milliseconds: some pages never stop rebuilding themselves. Attributes and
// texts do not count: clocks and carousels change them all the time, and axe-core sees the same elements. The network
// was quiet a moment ago: what it brought may still be on its way into the page, which has `arriving` milliseconds for
// it.
async (sinceLoad, quiet, arriving, limit) => {
  const from = performance.now() + arriving;
  const until = performance.now() + limit;
  for (;;) {
    const due = Math.max(from, watch.since + sinceLoad, watch.rebuilt + quiet);
    const now = performance.now();
    if (now >= due) return true;
    const left = Math.min(due, until) - now;
    if (left <= 0) return false;
    await new Promise((resolve) => setTimeout(resolve, left));
  }
}
