// Runs axe-core on the document and leaves the outcome to `collect.js`. Evaluated in a world of its own, where no script of
// the page can replace a function that is used here. `options` go to axe. Does nothing and returns false if it `isEarly` and
// the page has changed since its load.
async (options, isEarly) => {
  if (isEarly && !watch.isUnchanged()) return false;

  // One frame that does not answer in time makes axe give up on all of the page. Then the page is checked without its
  // frames, and they are counted as not checked.
  const all = { ...options, elementRef: true };
  let framesLeftOut = 0;
  const run = async () => {
    try {
      return await axe.run(document, all);
    } catch (error) {
      if (!/frame/i.test(error?.message)) throw error;
      framesLeftOut = document.querySelectorAll('iframe, frame').length;
      return axe.run(document, { ...all, iframes: false });
    }
  };
  const results = await run();
  globalThis.outcome = { results, framesLeftOut };
  return true;
}
