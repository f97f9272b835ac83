// Tells the one colour that a text stands on, where styles and places say so without doubt: of all that paints on the page, only whole boxes of one
// opaque colour around the text are where it is. What is above or below what is not asked: where anything else reaches the text, or might, pictures
// have to tell. `helpers` are those of `painted.js`.
({ around, common, tag }, limits) => {
  const own = (type, name, node) => Reflect.get(type.prototype, name, node);
  const { closest, getBoundingClientRect, getClientRects, matches } = Element.prototype;
  const { contains } = Node.prototype;
  const root = document.documentElement;
  const body = own(Document, 'body', document);
  const toBox = ({ left, top, right, bottom }) => ({ left, top, right, bottom });
  const rectOf = (element) => toBox(getBoundingClientRect.call(element));
  const grown = ({ left, top, right, bottom }, by) => ({ left: left - by, top: top - by, right: right + by, bottom: bottom + by });
  const isIn = (inner, outer) => inner.left >= outer.left && inner.top >= outer.top && inner.right <= outer.right && inner.bottom <= outer.bottom;
  const px = (value) => (/^-?[\d.]+(?:e[-+]?\d+)?px$/.test(value) ? parseFloat(value) : NaN);
  const all = (style, names) => names.map((name) => px(style[name]) || 0);

  const sides = ['Top', 'Right', 'Bottom', 'Left'];
  const isClear = (colour) => /[,/] 0\)$/.test(colour) && /^rgba|\//.test(colour);
  // A colour that nothing shows through, in whole numbers; null of any other.
  const opaque = (colour) => /^rgb\((\d{1,3}), (\d{1,3}), (\d{1,3})\)$/.exec(colour)?.slice(1).map(Number) ?? null;
  const hasOutline = ({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && px(outlineWidth) !== 0;
  const hasBorder = (style) => style.borderImageSource !== 'none' || sides.some((side) => px(style[`border${side}Width`]) !== 0 && !isClear(style[`border${side}Color`]));
  const hasEffect = ({ backdropFilter, filter, maskImage, mixBlendMode }) => filter !== 'none' || mixBlendMode !== 'normal' || (backdropFilter ?? 'none') !== 'none' || (maskImage ?? 'none') !== 'none';
  const isPainted = (style) =>
    !isClear(style.backgroundColor) || style.backgroundImage !== 'none' || style.boxShadow !== 'none' || style.columnRuleStyle !== 'none' || hasBorder(style) || hasOutline(style) || hasEffect(style);
  // How far beyond its box something paints, at most.
  const reachOf = (style) => {
    const shadow = (style.boxShadow.match(/-?[\d.]+px/g) ?? []).reduce((sum, value) => sum + Math.abs(px(value)), 0);
    const outline = hasOutline(style) ? px(style.outlineWidth) + Math.abs(px(style.outlineOffset)) : 0;
    return Math.max(shadow, outline) + (style.filter === 'none' ? 0 : limits.filter);
  };
  // Parts of the page that paint something of their own.
  const replaced = new Set('audio canvas embed iframe frame img input math meter object progress select textarea video marquee'.split(' '));
  const isClosed = (element) => tag(element).includes('-') && own(Element, 'shadowRoot', element) === null && matches.call(element, ':defined');

  // What is turned, scaled or bent does not fill its box.
  const isMovedAside = ({ offsetPath, perspective, rotate, scale, transform }) =>
    [rotate, scale, perspective, offsetPath ?? 'none'].some((value) => value !== 'none') || !(transform === 'none' || /^matrix\(1, 0, 0, 1,/.test(transform));
  // The element from whose box the place of something within this one is counted; null for the page, and undefined if it is not known.
  const holderOf = (host, isFixed) => {
    for (let each = host; each; each = around(each)) {
      const style = getComputedStyle(each);
      const isMoved = isMovedAside(style) || [style.transform, style.translate, style.filter, style.backdropFilter ?? 'none'].some((value) => value !== 'none');
      if (isMoved || (!isFixed && style.position !== 'static')) return isMovedAside(style) || style.display === 'inline' ? undefined : each;
      if (style.willChange !== 'auto' || style.contain !== 'none' || style.containerType !== 'normal') return undefined;
    }
    return null;
  };
  // The place of what style sheets put before or after the content of an element; null if it is not known. `isExact` if it fills that place.
  const pseudoPlace = (host, style) => {
    const [width, height] = [px(style.width) || 0, px(style.height) || 0];
    if (!['absolute', 'fixed'].includes(style.position)) {
      const shifts = all(style, ['marginTop', 'marginRight', 'marginBottom', 'marginLeft', 'left', 'top', 'right', 'bottom']);
      const { left, right, top, bottom } = rectOf(host);
      const isWithin = width <= right - left && height <= bottom - top && shifts.every((shift) => shift >= 0) && style.transform === 'none' && style.position === 'static';
      return { ...grown({ left, top, right, bottom }, isWithin ? 0 : Math.max(...shifts.map(Math.abs)) + width + height), isExact: false };
    }
    const isFixed = style.position === 'fixed';
    const holder = holderOf(host, isFixed);
    const [left, top] = [px(style.left), px(style.top)];
    if (holder === undefined || Number.isNaN(left + top) || [style.translate, style.rotate, style.scale].some((value) => value !== 'none')) return null;
    const frame = holder ? rectOf(holder) : { left: isFixed ? 0 : -scrollX, top: isFixed ? 0 : -scrollY };
    const of = (name) => (holder && holder !== root ? own(Element, name, holder) : 0);
    const extra = (names) => (style.boxSizing === 'border-box' ? 0 : all(style, names).reduce((sum, value) => sum + value, 0));
    const x = frame.left + of('clientLeft') - of('scrollLeft') + left + (px(style.marginLeft) || 0);
    const y = frame.top + of('clientTop') - of('scrollTop') + top + (px(style.marginTop) || 0);
    const place = {
      left: x,
      top: y,
      right: x + width + extra(['paddingLeft', 'paddingRight', 'borderLeftWidth', 'borderRightWidth']),
      bottom: y + height + extra(['paddingTop', 'paddingBottom', 'borderTopWidth', 'borderBottomWidth']),
    };
    if (style.transform === 'none') return { ...place, isExact: true };
    // Where its corners come to lie.
    const matrix = new DOMMatrix(style.transform);
    const [originX, originY] = style.transformOrigin.split(' ').map(px);
    if (!matrix.is2D || Number.isNaN(originX + originY)) return null;
    const corners = [place.left, place.right].flatMap((cornerX) => [place.top, place.bottom].map((cornerY) => matrix.transformPoint({ x: cornerX - place.left - originX, y: cornerY - place.top - originY })));
    const [xs, ys] = [corners.map((corner) => corner.x + place.left + originX), corners.map((corner) => corner.y + place.top + originY)];
    return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys), isExact: false };
  };
  const isShown = ({ content, display, visibility, opacity }) => content !== 'none' && content !== 'normal' && display !== 'none' && visibility === 'visible' && opacity !== '0';
  const isEmpty = ({ content }) => /^(["'])\s*\1$/.test(content);

  // All that paints, in the rows of the page that it reaches; null if there is too much of it, or if something is above all.
  const read = () => {
    if (Document.prototype.querySelector.call(document, 'dialog:modal, :popover-open, :fullscreen, frameset')) return null;
    const rows = new Map();
    let isKnown = true;
    let count = 0;
    const add = (painter) => {
      const { left, top, right, bottom } = painter.rect;
      if (right - left <= 0 || bottom - top <= 0) return;
      const [first, last] = [top, bottom].map((edge) => Math.floor(Math.max(-limits.place, Math.min(edge, limits.place)) / limits.row));
      for (let row = first; row <= last; row += 1) {
        if (!rows.has(row)) rows.set(row, []);
        rows.get(row).push(painter);
        count += 1;
      }
      isKnown &&= count <= limits.painters;
    };
    const trees = [document];
    let seen = 0;
    for (const tree of trees) {
      const walker = Document.prototype.createTreeWalker.call(document, tree, NodeFilter.SHOW_ELEMENT);
      while (walker.nextNode() && isKnown) {
        seen += 1;
        if (seen > limits.elements) return null;
        const element = walker.currentNode;
        const shadow = own(Element, 'shadowRoot', element);
        if (shadow) trees.push(shadow);
        const style = getComputedStyle(element);
        // What is in something that is not shown has no box, and neither has what only its content is shown of.
        if (style.display !== 'contents' && getClientRects.call(element).length === 0) continue;
        const isOwn = replaced.has(tag(element)) || element instanceof SVGElement || isClosed(element);
        if (style.visibility === 'visible' && (isOwn || isPainted(style))) add({ element, rect: grown(rectOf(element), reachOf(style)) });
        for (const name of ['::before', '::after']) {
          const pseudo = getComputedStyle(element, name);
          if (!isShown(pseudo) || (isEmpty(pseudo) && !isPainted(pseudo))) continue;
          const place = pseudoPlace(element, pseudo);
          if (!place) return null;
          add({ element, pseudo, place, rect: grown(place, reachOf(pseudo)) });
        }
      }
    }
    return isKnown ? rows : null;
  };

  // Whether an area keeps clear of the corners of a box that are cut off.
  const isClearOfCorners = (area, box, style) => {
    const [width, height] = [box.right - box.left, box.bottom - box.top];
    return [['Top', 'Left'], ['Top', 'Right'], ['Bottom', 'Left'], ['Bottom', 'Right']].every(([y, x]) => {
      const values = style[`border${y}${x}Radius`].split(' ');
      const [radiusX, radiusY] = [values[0], values.at(-1)].map((value, index) => Math.min(value.endsWith('%') ? (parseFloat(value) / 100) * [width, height][index] : px(value), [width, height][index] / 2));
      if (radiusX === 0 || radiusY === 0) return true;
      if (Number.isNaN(radiusX + radiusY)) return false;
      const inX = x === 'Left' ? box.left + radiusX - area.left : area.right - (box.right - radiusX);
      const inY = y === 'Top' ? box.top + radiusY - area.top : area.bottom - (box.bottom - radiusY);
      const [innerX, innerY] = [radiusX - px(style[`border${x}Width`]), radiusY - px(style[`border${y}Width`])];
      return inX <= 0 || inY <= 0 || (innerX > 0 && innerY > 0 && (inX / innerX) ** 2 + (inY / innerY) ** 2 <= 1);
    });
  };
  // What of an element counts for a text in it: `null` if it paints nothing there is, `false` if styles do not tell what; else its box and colour.
  const kinds = new Map();
  const kindOf = (element) => {
    if (!kinds.has(element)) kinds.set(element, kindFor(element));
    return kinds.get(element);
  };
  const kindFor = (element) => {
    const style = getComputedStyle(element);
    const isStrange = hasEffect(style) || isMovedAside(style) || style.clip !== 'auto' || style.clipPath !== 'none' || style.opacity !== '1' || Number(style.zIndex) < 0 || style.columnRuleStyle !== 'none';
    if (isStrange || replaced.has(tag(element)) || element instanceof SVGElement || isClosed(element)) return false;
    if (!isPainted(style)) return null;
    // The root and the body paint all of the page, the body only where the root paints nothing.
    const isPage = element === root || (element === body && isClear(getComputedStyle(root).backgroundColor) && getComputedStyle(root).backgroundImage === 'none');
    const colour = style.backgroundImage === 'none' ? (isClear(style.backgroundColor) ? null : (opaque(style.backgroundColor) ?? false)) : false;
    if (isPage) return { isPage, colour };
    const rects = getClientRects.call(element);
    const isOdd = rects.length !== 1 || /inset/.test(style.boxShadow) || (hasOutline(style) && px(style.outlineOffset) < 0) || style.backgroundClip !== 'border-box' || style.borderImageSource !== 'none';
    // Theirs is drawn by the browser, or begins in the middle of their legend.
    const isDrawn = tag(element) === 'fieldset' || (tag(element) === 'button' && style.appearance !== 'none');
    return { box: toBox(rects[0] ?? rectOf(element)), style, colour, isOdd: isOdd || isDrawn };
  };
  // The colour of an element behind an area; `null` if it paints nothing there, and `false` if styles do not tell.
  const layer = (element, area) => {
    const kind = kindOf(element);
    if (!kind || kind.isPage) return kind && kind.colour;
    const { box, style, colour, isOdd } = kind;
    if (!isOdd && !common(grown(box, reachOf(style)), area)) return null;
    const [top, right, bottom, left] = all(style, sides.map((side) => `border${side}Width`));
    const inner = { left: box.left + left, top: box.top + top, right: box.right - right, bottom: box.bottom - bottom };
    return !isOdd && isIn(area, inner) && isClearOfCorners(area, box, style) ? colour : false;
  };
  // Whether what is put before or after the content of an element is below all else in it.
  const isBelow = ({ element, pseudo }) => {
    const { isolation, position, transform, zIndex } = getComputedStyle(element);
    const isLayered = isolation === 'isolate' || transform !== 'none' || ['fixed', 'sticky'].includes(position) || (position !== 'static' && zIndex !== 'auto');
    return isLayered && ['absolute', 'fixed'].includes(pseudo.position) && Number(pseudo.zIndex) < 0;
  };
  const pseudoLayer = ({ pseudo, place }, area) => {
    const isPlain = isEmpty(pseudo) && pseudo.backgroundImage === 'none' && pseudo.opacity === '1' && !hasEffect(pseudo) && !hasBorder(pseudo) && !hasOutline(pseudo);
    const isWhole = place.isExact && pseudo.borderRadius === '0px' && !/inset/.test(pseudo.boxShadow) && isIn(area, place);
    return isPlain && isWhole ? (opaque(pseudo.backgroundColor) ?? false) : false;
  };
  let rows;
  let compared = 0;
  // The colour that the first of these elements to paint one has behind an area; undefined if none does, and null if it is not known. Nothing but them may
  // paint there, of what counts.
  const behind = (chain, area, counts) => {
    const near = grown(area, 1);
    const reached = new Set();
    for (let row = Math.floor(near.top / limits.row); row <= Math.floor(near.bottom / limits.row); row += 1) {
      for (const painter of rows.get(row) ?? []) {
        compared += 1;
        if (!common(painter.rect, near) || !counts(painter.element)) continue;
        if (!chain.includes(painter.element)) return null;
        if (painter.pseudo) reached.add(painter);
      }
    }
    if (compared > limits.compared || ![...reached].every(isBelow)) return null;
    for (const element of chain) {
      const over = [...reached].filter((painter) => painter.element === element);
      // Of several, which is above the others is not asked.
      if (over.length > 1) return null;
      const colour = over.length === 1 ? pseudoLayer(over[0], area) : layer(element, area);
      if (colour !== null) return colour || null;
    }
    return undefined;
  };
  const white = [255, 255, 255];
  const insideOf = (frame) => {
    const { left, top } = rectOf(frame);
    const [x, y, width, height] = ['clientLeft', 'clientTop', 'clientWidth', 'clientHeight'].map((name) => own(Element, name, frame));
    return { left: left + x, top: top + y, right: left + x + width, bottom: top + y + height };
  };
  const isOf = (frame) => (element) => element !== frame && contains.call(frame, element);
  // Returns the colour behind all areas of an element, in red, green and blue; null if it is not known. If it is in a box that would have to be scrolled
  // for it, `frame` is that: the element stands on what is between it and the box, or on what is behind all of the box.
  return (element, areas, frame = null) => {
    if (rows === undefined) rows = read();
    if (rows === null || areas.length === 0) return null;
    const chain = [];
    for (let each = element; each; each = around(each)) chain.push(each);
    const isPlain = chain.every((each) => kindOf(each) !== false) && !/dark/.test(getComputedStyle(root).colorScheme);
    if (!isPlain || closest.call(element, 'marquee')) return null;
    const until = frame ? chain.indexOf(frame) : chain.length;
    const isWithin = frame ? isOf(frame) : () => true;
    const grounds = areas.map((area) => behind(chain.slice(0, until), area, isWithin));
    if (frame && grounds.includes(undefined)) {
      const ofFrame = behind(chain.slice(until), insideOf(frame), (each) => !isWithin(each));
      grounds.forEach((ground, index) => {
        if (ground === undefined) grounds[index] = ofFrame;
      });
    }
    const colours = grounds.map((ground) => (ground === undefined ? white : ground));
    return colours.every((colour) => colour && colour.join() === colours[0].join()) ? colours[0] : null;
  };
}
