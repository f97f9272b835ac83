// Watches the document from now on. What it sees stays in this world, where `drawn.js`, `built.js`, `run.js` and `collect.js`
// find it.
() => {
  // What scripts change without touching the document's tree: rules of style sheets, and what is on top of everything.
  // The rules of other origins' sheets are closed to scripts, too.
  const rules = (sheet) => {
    try {
      return sheet.disabled ? 0 : sheet.cssRules.length;
    } catch {
      return 0;
    }
  };
  const surface = () =>
    [...document.styleSheets, ...document.adoptedStyleSheets].map(rules).join() +
    document.querySelectorAll(':popover-open, :modal').length;

  const hasShadowTrees = () =>
    Array.prototype.some.call(document.querySelectorAll('*'), (element) => element.shadowRoot);

  const since = performance.now();
  const surfaceAtFirst = surface();
  let changes = 0;
  const watch = {
    since,
    rebuilt: since,
    // What happens in shadow trees is not noticed from outside, nor that one comes.
    isUnchanged: () => changes === 0 && surface() === surfaceAtFirst && !hasShadowTrees(),
  };
  new MutationObserver((records) => {
    changes += records.length;
    if (records.some(({ type }) => type === 'childList')) watch.rebuilt = performance.now();
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  globalThis.watch = watch;
}
