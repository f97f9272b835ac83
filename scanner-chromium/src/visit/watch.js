// Watches the document from its call on. What it sees stays in this world, where `drawn.js`, `built.js`, `run.js`,
// `collect.js` and `../probes/changing.js` find it.
() => {
  // Getters and methods are called directly, since elements may hide properties of the document with their names, and
  // the fields of a form those of the form.
  const getter = (type, name) => Object.getOwnPropertyDescriptor(type.prototype, name).get;
  const shadowOf = getter(Element, 'shadowRoot');
  const sheets = ['styleSheets', 'adoptedStyleSheets'].map((name) => getter(Document, name));
  const { querySelectorAll } = Document.prototype;

  // What scripts change without touching the document's tree: rules of style sheets, and what is in the top layer. The
  // rules of other origins' sheets are closed to scripts, too.
  const rules = (sheet) => {
    try {
      return sheet.disabled ? 0 : sheet.cssRules.length;
    } catch {
      return 0;
    }
  };
  const surface = () =>
    sheets.flatMap((sheetsOf) => [...sheetsOf.call(document)]).map(rules).join() +
    querySelectorAll.call(document, ':popover-open, :modal').length;

  const hasShadowTrees = () =>
    Array.prototype.some.call(querySelectorAll.call(document, '*'), (element) => shadowOf.call(element) !== null);

  const since = performance.now();
  const surfaceAtFirst = surface();
  let changes = 0;
  // The last elements whose content has changed, with the time.
  const contents = [];
  const watch = {
    since,
    contents,
    rebuilt: since,
    get changes() {
      return changes;
    },
    // Changes inside shadow trees are not noticed from outside, nor is the addition of one.
    isUnchanged: () => changes === 0 && surface() === surfaceAtFirst && !hasShadowTrees(),
  };
  new MutationObserver((records) => {
    changes += records.length;
    const now = performance.now();
    for (const { type, target } of records.slice(-100)) if (type !== 'attributes') contents.push({ target, now });
    contents.splice(0, contents.length - 100);
    if (records.some(({ type }) => type === 'childList')) watch.rebuilt = performance.now();
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  globalThis.watch = watch;
}
