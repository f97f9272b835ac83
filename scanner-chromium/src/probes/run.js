// Runs the probes after axe-core, in the same world, and leaves what they find in `outcome.probes`, in the form of axe-core's
// own results. Changes nothing in the page. Returns the texts whose language is to be detected, as JSON text; `judge.js`
// takes the verdicts. What the page may share with others is left in `outcome.probes.shared`,
// and the facts about probes in `outcome.probes.facts`, for the scripts that add findings later.
(makeKit, families, makeTexts, makeShared, facts, limits) => {
  const probes = { violations: [], incomplete: [], passed: [], inapplicable: [], errors: [], texts: [], facts };
  outcome.probes = probes;
  const began = performance.now();
  const hasTime = () => performance.now() - began <= limits.time;
  const contrasts = globalThis.held?.contrasts ?? new Map();
  if (!globalThis.held?.resume()) {
    globalThis.held?.release();
    axe.setup(document);
    globalThis.held = {
      release: () => {
        axe.teardown();
        delete globalThis.held;
      },
    };
  }
  const kit = { ...makeKit(contrasts), listens: limits.listens };
  probes.kit = kit;
  // A selector takes longer than most probes take for an element, so only what may be kept has one.
  const node = (id, { element, data = null, check = id }, isKept) => {
    const checks = { any: [{ id: check, data }], all: [], none: [] };
    if (!isKept) return { element, target: [], html: '', failureSummary: '', ...checks };
    const found = new axe.utils.DqElement(element, { elementRef: true });
    return { element, target: found.selector, html: found.source, failureSummary: facts[id].help, ...checks };
  };
  probes.node = node;
  const result = (id, found) => {
    const reasons = new Set();
    const nodes = found.slice(0, limits.nodes).map((each, index) => {
      const reason = typeof each.data === 'string' ? each.data : each.data?.messageKey;
      const isFirst = !reasons.has(reason);
      reasons.add(reason);
      return node(id, each, isFirst || index < limits.kept);
    });
    return { id, ...facts[id], nodes };
  };
  for (const family of families) {
    for (const [id, probe] of Object.entries(family(kit))) {
      // A page of a size that takes long costs the probes that are left.
      if (id === limits.leftOut || !hasTime()) continue;
      try {
        const { failed, undecided = [], isApplicable } = probe();
        if (failed.length > 0) probes.violations.push(result(id, failed));
        if (undecided.length > 0) probes.incomplete.push(result(id, undecided));
        // Of a rule that failed as well, the receiver says only that.
        (isApplicable ? probes.passed : probes.inapplicable).push(id);
      } catch (error) {
        // A probe that fails has not run, and says nothing of the page.
        probes.errors.push(`${id}: ${error}`);
      }
    }
  }
  probes.texts = hasTime() ? makeTexts(kit)(limits.text) : [];
  for (const rule of ['a11ycheck-page-language', 'a11ycheck-part-language']) {
    if (!hasTime()) continue;
    (probes.texts.some((text) => text.rule === rule) ? probes.passed : probes.inapplicable).push(rule);
  }
  if (hasTime()) {
    try {
      probes.shared = makeShared(kit)(limits.shared);
    } catch (error) {
      probes.errors.push(`what pages share: ${error}`);
    }
  }
  return JSON.stringify(
    probes.texts.map(({ lang, text }) => ({ lang: lang.slice(0, 100), text })),
    (_, value) => (typeof value === 'string' ? value.toWellFormed() : value),
  );
}
