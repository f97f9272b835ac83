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

  // The colour of a value; null if it is none that axe-core knows.
  const known = (value) => {
    try {
      return colour(value);
    } catch {
      return null;
    }
  };
  // The opaque colour of an element or of what it lies in; null if it is not known. What lies between them is not looked for.
  const ground = (element) => {
    let found = null;
    for (let around = element; around; around = kit.parent(around)) {
      const { opacity, filter, mixBlendMode, backgroundImage, backgroundColor } = getComputedStyle(around);
      if (opacity !== '1' || filter !== 'none' || mixBlendMode !== 'normal') return null;
      if (found !== null) continue;
      if (backgroundImage !== 'none') return null;
      const own = known(backgroundColor);
      if (own?.alpha === 1) found = own;
      else if (own?.alpha !== 0) return null;
    }
    // The window itself is white, unless the page asks for a dark one. What a shadow tree lies on is not looked for.
    const isWhite = kit.contains(document, element) && !getComputedStyle(document.documentElement).colorScheme.includes('dark');
    return found ?? (isWhite ? white : null);
  };
  const placeholders = () => {
    const failed = [];
    let isApplicable = false;
    for (const field of kit.all('input[placeholder], textarea[placeholder]').filter(kit.isHtml).slice(0, 200)) {
      const type = kit.tag(field) === 'textarea' ? HTMLTextAreaElement : HTMLInputElement;
      const said = (kit.attribute(field, 'placeholder') ?? '').trim();
      if (said.length < 2 || !/[\p{L}\p{N}]/u.test(said) || kit.read(type, 'value', field) !== '') continue;
      if (kit.matches(field, ':disabled, [aria-disabled="true" i], [inert] *, :not(:placeholder-shown)') || !kit.isVisible(field) || !kit.isShown(field)) continue;
      const { color, opacity, visibility, fontSize, fontWeight, webkitTextFillColor } = getComputedStyle(field, '::placeholder');
      const own = known(webkitTextFillColor ?? color);
      if (own === null) continue;
      own.alpha *= Number(opacity);
      // What cannot be seen at all is not meant to be, as with labels that stand in the field.
      if (own.alpha < 0.15 || visibility !== 'visible') continue;
      // Where the field has no ground of its own, something else may lie under it.
      const bg = known(getComputedStyle(field).backgroundColor)?.alpha === 1 ? ground(field) : null;
      if (bg === null) continue;
      isApplicable = true;
      const fg = own.alpha < 1 ? axe.commons.color.flattenColors(own, bg) : own;
      const [size, isBold] = [parseFloat(fontSize), Number(fontWeight) >= 700];
      const least = size >= 24 || (isBold && size * 0.75 >= 14) ? 3 : 4.5;
      const ratio = getContrast(bg, fg);
      // What has the colour of its ground is not meant to be read, as with labels that stand in the field.
      if (ratio >= least || ratio < 1.1) continue;
      const data = {
        fgColor: fg.toHexString(), bgColor: bg.toHexString(), contrastRatio: Math.floor(ratio * 100) / 100, fontSize: `${(size * 0.75).toFixed(1)}pt (${size}px)`,
        fontWeight: isBold ? 'bold' : 'normal', expectedContrastRatio: `${least}:1`,
      };
      failed.push({ element: field, check: 'color-contrast', data });
    }
    return { failed, isApplicable };
  };

  const sides = ['Top', 'Right', 'Bottom', 'Left'];
  const drawn = (style) => sides.filter((side) => parseFloat(style[`border${side}Width`]) > 0 && !/^(?:none|hidden)$/.test(style[`border${side}Style`]));
  // Fields of which neither edge nor ground can be told from what is around them. What else shows them, a person has to see.
  const fieldEdges = () => {
    const undecided = [];
    let isApplicable = false;
    const other = ['hidden', 'checkbox', 'radio', 'range', 'color', 'file', 'image', 'submit', 'button', 'reset'].map((type) => `[type="${type}" i]`);
    for (const field of kit.all(`input:not(${other.join()}), textarea, select`).filter(kit.isHtml).slice(0, 200)) {
      const holder = kit.parent(field);
      const { width, height } = kit.box(field);
      if (holder === null || width < 30 || height < 12 || kit.matches(field, ':disabled, [readonly], [aria-disabled="true" i]') || !kit.isVisible(field)) continue;
      const style = getComputedStyle(field);
      if (style.boxShadow !== 'none' || style.outlineStyle !== 'none' || style.backgroundImage !== 'none' || style.borderImageSource !== 'none' || style.opacity !== '1') continue;
      // The edge may be that of a box around the field and little else.
      const isFramed = (around, left) => {
        if (around === null || left === 0 || kit.box(around).height > height + 30) return false;
        const own = getComputedStyle(around);
        return own.boxShadow !== 'none' || drawn(own).length > 0 || isFramed(kit.parent(around), left - 1);
      };
      const outer = ground(holder);
      const own = known(style.backgroundColor);
      if (outer === null || own === null || (own.alpha > 0 && own.alpha < 1) || isFramed(holder, 3)) continue;
      isApplicable = true;
      const inner = own.alpha === 1 ? own : outer;
      const colours = drawn(style).map((side) => known(style[`border${side}Color`]));
      if (colours.includes(null)) continue;
      const edges = colours.map((edge) => axe.commons.color.flattenColors(edge, outer));
      const ratio = Math.max(getContrast(outer, inner), ...edges.flatMap((edge) => [getContrast(outer, edge), getContrast(inner, edge)]));
      if (ratio < 3) undecided.push({ element: field, data: { ratio: Math.floor(ratio * 100) / 100 } });
    }
    return { failed: [], undecided, isApplicable };
  };

  return { 'a11ycheck-enhanced-contrast': enhanced, 'a11ycheck-placeholder-contrast': placeholders, 'a11ycheck-field-edge': fieldEdges };
}
