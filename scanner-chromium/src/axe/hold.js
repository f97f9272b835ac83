// Lets what axe-core has read of a document outlast its run, so that the probes after it need not read all of it again, which takes
// longer than they do: its tree, and the contrasts that it has computed, of texts that pass as well. Called right before the run; `held` is left for `probes/run.js`, and released by `collect.js` at the latest.
() => {
  globalThis.held?.release();
  const { _memoizedFns: memoized, _cache: cache } = axe;
  const { clear } = cache;
  // A document that nobody watches counts as changed.
  const changes = globalThis.watch?.changes;
  let known = null;
  // What the check finds out is written down, and stays what it is.
  const contrasts = new Map();
  const check = axe._audit.checks['color-contrast'];
  const { evaluate } = check;
  check.evaluate = function (element, ...rest) {
    const { data: tell } = this;
    this.data = (said) => {
      contrasts.set(element, said);
      return tell.call(this, said);
    };
    return evaluate.call(this, element, ...rest);
  };
  // axe-core clears these two at the end of its run, and drops its tree then.
  axe._memoizedFns = [];
  cache.clear = () => {
    known = { _tree: axe._tree, _selectorData: axe._selectorData };
  };
  globalThis.held = {
    contrasts,
    // Gives axe-core back what it knew; false if the document has changed since, or axe-core has not run to its end.
    resume: () => {
      const isTrue = known !== null && changes !== undefined && watch.changes === changes;
      if (isTrue) Object.assign(axe, known);
      return isTrue;
    },
    release: () => {
      axe._memoizedFns = memoized;
      cache.clear = clear;
      check.evaluate = evaluate;
      axe.teardown();
      delete globalThis.held;
    },
  };
}
