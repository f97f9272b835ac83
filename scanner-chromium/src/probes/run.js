// Runs the probes after axe-core, in the same world, and leaves what they find in `outcome.probes`, in the form of axe-core's
// own results. Changes nothing in the page. Returns the texts whose language is to be detected, as JSON text; `judge.js`
// takes the verdicts.
(makeKit, families, makeTexts, facts, limits) => {
  const probes = { violations: [], incomplete: [], passed: [], inapplicable: [], texts: [] };
  outcome.probes = probes;
  const began = performance.now();
  // What a run leaves behind would stand in the way.
  axe.teardown();
  axe.setup(document);
  try {
    const kit = makeKit();
    const node = (id, { element, data = null }) => {
      const found = new axe.utils.DqElement(element, { elementRef: true });
      const checks = { any: [{ id, data }], all: [], none: [] };
      return { element, target: found.selector, html: found.source, failureSummary: facts[id].help, ...checks };
    };
    const result = (id, found) => ({ id, ...facts[id], nodes: found.slice(0, limits.nodes).map((each) => node(id, each)) });
    for (const family of families) {
      for (const [id, probe] of Object.entries(family(kit))) {
        // A page of a size that takes long costs the probes that are left.
        if (performance.now() - began > limits.time) continue;
        try {
          const { failed, undecided = [], isApplicable } = probe();
          if (failed.length > 0) probes.violations.push(result(id, failed));
          if (undecided.length > 0) probes.incomplete.push(result(id, undecided));
          // Of a rule that failed as well, the receiver says only that.
          (isApplicable ? probes.passed : probes.inapplicable).push(id);
        } catch (error) {
          // A probe that fails has not run, and says nothing.
          probes.errors = [...(probes.errors ?? []), `${id}: ${error}`];
        }
      }
    }
    const texts = performance.now() - began > limits.time ? [] : makeTexts(kit)(limits.text);
    probes.texts = texts.map(({ element, rule }) => ({ rule, facts: facts[rule], node: node(rule, { element }) }));
    for (const rule of ['a11ycheck-page-language', 'a11ycheck-part-language']) {
      if (performance.now() - began > limits.time) continue;
      (texts.some((text) => text.rule === rule) ? probes.passed : probes.inapplicable).push(rule);
    }
    return JSON.stringify(
      texts.map(({ lang, text }) => ({ lang: lang.slice(0, 100), text })),
      (_, value) => (typeof value === 'string' ? value.toWellFormed() : value),
    );
  } finally {
    axe.teardown();
  }
}
