// Probe of enhanced contrast, from the colours that axe-core has computed for its own rule.
(kit) => {
  const { contrasts } = kit;
  const { Color, getContrast } = axe.commons.color;
  const colour = (value) => {
    const found = new Color();
    found.parseString(value);
    return found;
  };
  const grounds = new Set(['bgGradient', 'bgImage', 'imgNode']);
  // The greatest contrast that a text can have on any background; null if its own colour is not known alone.
  const greatest = (element) => {
    const style = getComputedStyle(element);
    if (parseFloat(style.webkitTextStrokeWidth) > 0) return null;
    let around = element;
    for (; around && around !== document.documentElement; around = kit.parent(around)) {
      const { opacity, filter, mixBlendMode } = getComputedStyle(around);
      if (opacity !== '1' || filter !== 'none' || mixBlendMode !== 'normal') return null;
    }
    // What is around a shadow tree may be transparent.
    if (!around) return null;
    const own = colour(style.webkitTextFillColor);
    return own.alpha === 1 ? Math.max(getContrast(black, own), getContrast(white, own)) : null;
  };
  const [black, white] = ['#000000', '#ffffff'].map(colour);

  const enhanced = () => {
    const failed = [];
    let isApplicable = false;
    for (const [element, said] of contrasts) {
      const known = axe.utils.getNodeFromTree(element);
      const { contrastRatio: ratio, expectedContrastRatio: least, messageKey } = said ?? {};
      // Where axe-core expects 3:1, the text is large.
      const expected = { '4.5:1': 7, '3:1': 4.5 }[least];
      if (!known || expected === undefined || messageKey === 'equalRatio') continue;
      const isMeasured = said.bgColor !== undefined && said.fgColor !== undefined;
      if (!isMeasured && !grounds.has(messageKey)) continue;
      const most = isMeasured ? ratio : (greatest(element) ?? expected);
      const text = axe.commons.text.visibleVirtual(known, false, true);
      // A single character may be a sign, and what has no letters is in no language.
      if (text.length < 2 || !/[\p{L}\p{N}]/u.test(text)) continue;
      isApplicable = true;
      if (most >= expected) continue;
      // Reports have words for what axe-core's check measures.
      const measured = { check: 'color-contrast-enhanced', data: { ...said, expectedContrastRatio: `${expected}:1` } };
      failed.push({ element, ...(isMeasured && measured) });
    }
    return { failed, isApplicable };
  };

  return { 'a11ycheck-enhanced-contrast': enhanced };
}
