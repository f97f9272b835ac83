// Runs axe-core on a document without frames and leaves the outcome to `collect.js`. Evaluated in an isolated world,
// where no script of the page can replace a function that is used here. `options` are passed to axe. Does nothing and
// returns false if it `isEarly` and the page has changed since its load. `hold` is the function of `hold.js`.
async (options, isEarly, hold) => {
  if (isEarly && !watch.isUnchanged()) return false;
  hold();
  // A frame that was added meanwhile counts as not checked.
  const results = await axe.run(document, { ...options, elementRef: true, iframes: false });
  globalThis.outcome = { results };
  return true;
}
