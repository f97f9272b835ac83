// Probes of how a page is laid out, from its styles as they are.
(kit) => {
  const { all, box, isHtml, isVisible, nodes, nodeType, ownText, tag, text } = kit;

  // Of each property of text spacing: how wide it has to be for a font of a size (WCAG 1.4.12).
  const spacings = [
    ['letter-spacing', 0.12],
    ['word-spacing', 0.16],
    ['line-height', 1.5],
  ];
  const inherits = new Set(['inherit', 'unset', 'revert', 'revert-layer', 'initial']);
  // Text is in one line if all its boxes share one.
  const isWrapped = (element) => {
    for (const node of nodes(element)) {
      if (nodeType(node) !== Node.TEXT_NODE || !/\S/.test(text(node))) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const tops = [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top));
      if (new Set(tops).size > 1) return true;
    }
    return false;
  };
  const textSpacing = () => {
    const failed = [];
    let isApplicable = false;
    for (const element of all('[style]')) {
      if (!isHtml(element)) continue;
      const style = kit.read(HTMLElement, 'style', element);
      const fixed = spacings.filter(
        ([property]) => style.getPropertyPriority(property) === 'important' && !inherits.has(style.getPropertyValue(property)),
      );
      if (fixed.length === 0 || !ownText(element) || !isVisible(element)) continue;
      const computed = getComputedStyle(element);
      const size = parseFloat(computed.fontSize);
      const narrow = [];
      for (const [property, least] of fixed) {
        // Lines that do not wrap have no distance to each other.
        if (property === 'line-height' && !isWrapped(element)) continue;
        isApplicable = true;
        const value = computed.getPropertyValue(property);
        // `normal` is no space at all, and for lines about 1.2.
        const used = value === 'normal' ? (property === 'line-height' ? 1.2 * size : 0) : parseFloat(value);
        if (used + 0.01 < least * size) narrow.push(property);
      }
      if (narrow.length > 0) failed.push({ element, data: narrow });
    }
    return { failed, isApplicable };
  };

  // The rotation about the Z axis in degrees that a value of `transform` or `rotate` means, 0 to 359.
  const degrees = (transform, rotate) => {
    const angle = (matrix) => (Math.atan2(matrix.b, matrix.a) * 180) / Math.PI;
    const about = /^(?:z\s+|0\s+0\s+1\s+)?(\S+)$/.exec(rotate.trim());
    const turned = about && about[1] !== 'none' ? `rotate(${about[1]})` : 'none';
    const whole = [turned, transform || 'none'].map((value) => angle(new DOMMatrix(value))).reduce((sum, part) => sum + part);
    return ((whole % 360) + 360) % 360;
  };
  const orientation = /^\(?\s*orientation\s*:\s*(portrait|landscape)\s*\)?$/i;
  // Returns the orientation on which alone a media query depends, beside its type.
  const only = (media) => {
    if (media.length !== 1) return null;
    const parts = media.item(0).split(/\s+and\s+/i).filter((part) => !/^(only\s+)?(all|screen)$/i.test(part));
    return parts.length === 1 ? (orientation.exec(parts[0])?.[1].toLowerCase() ?? null) : null;
  };
  const find = (selector) => {
    try {
      return all(selector);
    } catch {
      // Selectors of pseudo-elements select no element.
      return [];
    }
  };
  const rules = (list) => {
    const found = [];
    for (const rule of list) {
      if (rule instanceof CSSStyleRule) found.push(rule);
    }
    return found;
  };
  const orientationLock = () => {
    const failed = [];
    let isApplicable = false;
    let left = 20_000;
    for (const sheet of kit.read(Document, 'styleSheets', document)) {
      let list;
      try {
        list = sheet.cssRules;
      } catch {
        // A style sheet of another site can't be read.
        continue;
      }
      if (sheet.disabled) continue;
      for (const query of list) {
        if ((left -= 1) < 0) return { failed, isApplicable };
        if (!(query instanceof CSSMediaRule)) continue;
        const locked = only(query.media);
        if (locked === null) continue;
        for (const rule of rules(query.cssRules)) {
          const { transform, rotate } = rule.style;
          if (!/rotate|matrix/.test(transform) && rotate === '') continue;
          for (const element of find(rule.selectorText).slice(0, 100)) {
            if (!isHtml(element) || !isVisible(element)) continue;
            isApplicable = true;
            // What is there without the query, from the rules that are not in one.
            const base = { transform: '', rotate: '' };
            for (const other of rules(list)) {
              if (!kit.matches(element, other.selectorText)) continue;
              base.transform = other.style.transform || base.transform;
              base.rotate = other.style.rotate || base.rotate;
            }
            let difference;
            try {
              const turned = degrees(transform || base.transform, rotate || base.rotate);
              difference = Math.abs(turned - degrees(base.transform, base.rotate));
            } catch {
              // A value with parts that depend on the page, such as var().
              continue;
            }
            const isQuarter = [90, 270].some((quarter) => Math.abs(difference - quarter) < 1);
            // A quarter turn of what is no large part of the page may be a picture or an arrow.
            const isPage = ['html', 'body', 'main'].includes(tag(element)) || holdsMost(element);
            if (isQuarter && isPage) failed.push({ element, data: locked });
          }
        }
      }
    }
    return { failed: [...new Map(failed.map((found) => [found.element, found])).values()], isApplicable };
  };
  const holdsMost = (element) => {
    const length = (node) => text(node).trim().length;
    const body = all('body')[0];
    return body !== undefined && length(element) > 0 && length(element) * 2 > length(body);
  };

  const justified = () => {
    const failed = [];
    let isApplicable = false;
    for (const element of all('p, li, dd, td, blockquote, div, section, article')) {
      if (!ownText(element) || text(element).length < 100) continue;
      const style = getComputedStyle(element);
      const isJustified = style.textAlign === 'justify';
      // Whether the others can be seen matters only until one is.
      if ((isApplicable && !isJustified) || style.display === 'inline' || !isVisible(element)) continue;
      isApplicable = true;
      if (!isJustified) continue;
      const lines = box(element).height / (parseFloat(style.lineHeight) || 1.2 * parseFloat(style.fontSize));
      if (lines > 1.5) failed.push({ element });
    }
    return { failed, isApplicable };
  };

  return {
    'a11ycheck-text-spacing': textSpacing,
    'a11ycheck-orientation-lock': orientationLock,
    'a11ycheck-justified-text': justified,
  };
}
