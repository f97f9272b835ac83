// Prepares texts whose contrast axe-core could not compute for pictures, from which it is computed outside of the page, and links that it
// could not compare with the text around them. Leaves `painted` in this world, and returns the texts (their numbers, places, colours and
// limits), the links, each with its number and that of the text around it, and how many times a box has to be scrolled for texts that are beyond
// its edge. A style sheet is all that the page has in addition while its texts are painted, and `end` takes it away.
async (limits) => {
  const id = 'a11ycheck-text-contrast';
  const linkId = 'a11ycheck-link-contrast';
  const getter = (type, name) => {
    const { get } = Object.getOwnPropertyDescriptor(type.prototype, name);
    return (node) => get.call(node);
  };
  // Getters and methods are called directly, since the fields of a form may hide its properties with their names.
  const parent = getter(Node, 'parentElement');
  const nodes = getter(Node, 'childNodes');
  const text = getter(Node, 'textContent');
  const nodeType = getter(Node, 'nodeType');
  const isConnected = getter(Node, 'isConnected');
  const tag = getter(Element, 'localName');
  const assigned = getter(Element, 'assignedSlot');
  const { closest, getAttribute, getBoundingClientRect, checkVisibility } = Element.prototype;
  const { getRootNode, contains } = Node.prototype;
  const select = (selector) => [...Document.prototype.querySelectorAll.call(document, selector)];
  const around = (element) => {
    const slot = assigned(element);
    if (slot) return slot;
    const above = parent(element);
    if (above) return above;
    const root = getRootNode.call(element);
    return root instanceof ShadowRoot ? Reflect.get(ShadowRoot.prototype, 'host', root) : null;
  };
  const box = (element) => {
    const { left, top, right, bottom } = getBoundingClientRect.call(element);
    return { left, top, right, bottom };
  };
  const common = (one, other) => {
    const found = { left: Math.max(one.left, other.left), top: Math.max(one.top, other.top), right: Math.min(one.right, other.right), bottom: Math.min(one.bottom, other.bottom) };
    return found.right > found.left && found.bottom > found.top ? found : null;
  };

  const openOf = (rule) => outcome.results.incomplete.find((result) => result.id === rule && !result.error);
  const left = openOf('color-contrast');
  const leftLinks = openOf('link-in-text-block');
  const reason = ({ any: [check] }) => check?.data?.messageKey ?? null;
  // Fields have no letters of which the places are known: their ground is painted, and whatever they have, or may get, stands on all of it.
  const isField = (element) => /^(?:input|textarea|select)$/.test(tag(element));
  // Of an empty field, the words that it shows meanwhile are not measured.
  const hasHint = (element) => (getAttribute.call(element, 'placeholder') ?? '').trim() !== '';
  // A single character need not be text, but a figure is, and so is a word of one sign, unless a font of icons has another picture for it.
  const isWord = (element) => {
    const body = Reflect.get(Document.prototype, 'body', document);
    const font = (each) => each && getComputedStyle(each).fontFamily;
    return font(element) === font(body) && /^[\p{Nd}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]$/u.test(text(element).trim());
  };
  // What is a picture in a font may say nothing. A single character that is no word, and for which axe-core has computed a contrast that is too low,
  // stays with a person, whatever pictures would say.
  const isLeft = {
    nonBmp: () => true,
    emptyValue: ({ element }) => hasHint(element),
    shortTextContent: ({ element, any: [{ data }] }) => data.contrastRatio > 0 && !isWord(element),
  };
  const isFor = (node) => node.target.length === 1 && node.element && isConnected(node.element) && !isLeft[reason(node)]?.(node);

  // What moves by itself, or may: what is painted of it once says nothing of it.
  const touched = new Set();
  const observer = new MutationObserver((records) => {
    for (const { target } of records) if (touched.size < 200) touched.add(target);
  });
  observer.observe(document, { subtree: true, attributes: true, attributeFilter: ['style', 'class', 'src'] });
  // What is painted on each canvas, as a number; null of one that can't be read. One for drawings in space has its pixels only in the
  // frame in which they are drawn: then and there they are read, after what the page does for that frame.
  const canvases = select('canvas');
  const drawings = () => {
    let left = limits.canvases;
    return canvases.map((canvas) => {
      const [width, height] = ['width', 'height'].map((name) => Reflect.get(HTMLCanvasElement.prototype, name, canvas));
      left -= width * height;
      if (width * height === 0 || left < 0) return null;
      try {
        const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
        context.drawImage(canvas, 0, 0);
        const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
        return pixels.reduce((sum, pixel) => Math.imul(sum ^ pixel, 16777619), 0);
      } catch {
        return null;
      }
    });
  };
  const inFrame = async () => {
    if (canvases.length === 0) return [];
    return new Promise((resolve) => {
      requestAnimationFrame(() => resolve(drawings()));
      setTimeout(() => resolve([]), limits.frame);
    });
  };
  const before = await inFrame();
  await new Promise((resolve) => setTimeout(resolve, limits.watched));
  observer.disconnect();
  const after = await inFrame();
  const resting = new Set(canvases.filter((_, index) => Number.isInteger(before[index]) && before[index] === after[index]));
  const animated = Document.prototype.getAnimations.call(document).filter(({ playState }) => playState === 'running').slice(0, 200).map(({ effect }) => effect?.target);
  const isPlaying = (element) => (tag(element) === 'video' ? !element.paused || element.autoplay : !resting.has(element));
  const media = select('video, canvas, iframe, object, embed, img[src*=".gif" i], img[src^="data:image/gif" i]').slice(0, 200).filter(isPlaying);
  const moving = new Set([...touched, ...animated, ...media].filter((element) => element instanceof Element && isConnected(element)));
  const visible = [...moving].filter((element) => checkVisibility.call(element, { visibilityProperty: true }));
  const areasOf = (elements) => elements.map((element) => ({ element, area: box(element) }));
  // Where they are; other places once a box is scrolled.
  let shown = areasOf(visible);

  const { Color } = axe.commons.color;
  const colourOf = (value) => {
    const colour = new Color();
    colour.parseString(value);
    const parts = [colour.red, colour.green, colour.blue, colour.alpha];
    return parts.every(Number.isFinite) ? parts : null;
  };
  const typed = 'text|search|email|url|tel|number|password|button|submit|reset'.split('|');
  // Where a field has its text: within its borders, and beside the arrow of a list.
  const insideOf = (element) => {
    const { left, top, right, bottom } = box(element);
    const style = getComputedStyle(element);
    const inset = (side) => parseFloat(style[`border${side}Width`]) + parseFloat(style[`padding${side}`]) + 1;
    const arrow = tag(element) === 'select' ? 20 : 0;
    return { left: left + inset('Left') + arrow, top: top + inset('Top'), right: right - inset('Right') - arrow, bottom: bottom - inset('Bottom') };
  };
  // The boxes of an element's own text, as far as what it is in does not cut them off.
  const boxes = (element) => {
    if (isField(element)) {
      const kind = (getAttribute.call(element, 'type') ?? 'text').toLowerCase();
      return tag(element) !== 'input' || typed.includes(kind) ? [insideOf(element)] : [];
    }
    const own = [...nodes(element)].filter((node) => nodeType(node) === Node.TEXT_NODE && /\S/.test(text(node)));
    return own.slice(0, 50).flatMap((node) => {
      const range = new Range();
      range.selectNodeContents(node);
      return [...range.getClientRects()].map(({ left, top, right, bottom }) => ({ left, top, right, bottom }));
    });
  };
  const isDrawn = (element) => element instanceof SVGTextContentElement;
  // The colour in which letters are painted; null if they have an outline, or more colours than one.
  const paintOf = (element, { fill, fillOpacity, stroke, webkitTextFillColor, webkitTextStrokeWidth }) => {
    if (!isDrawn(element)) return parseFloat(webkitTextStrokeWidth) > 0 ? null : colourOf(webkitTextFillColor);
    const colour = stroke === 'none' && !fill.includes('url(') ? colourOf(fill) : null;
    return colour && [...colour.slice(0, 3), colour[3] * parseFloat(fillOpacity)];
  };
  // What is seen of an area of an element, as far as what it is in does not cut it off; null if that is nothing, or has another shape.
  const clipped = (element, area) => {
    let left = area;
    for (let each = element; left && each; each = around(each)) {
      const { overflowX, overflowY, clip, clipPath, position } = getComputedStyle(each);
      if (clip !== 'auto' || clipPath !== 'none') return null;
      if (overflowX !== 'visible' && overflowY !== 'visible' && !['html', 'body'].includes(tag(each))) left = common(left, box(each));
      if (position === 'fixed') break;
    }
    return left;
  };
  // What turns by itself every few seconds has another ground by then.
  const turning = '[aria-roledescription="carousel" i], [class*="carousel" i], [class*="slideshow" i], [class*="swiper" i], [class*="slick" i]';
  // The parts of an element, or itself, that have text; null if a reader sees them in several ways.
  const partsOf = (element) => {
    const isSeen = (part) => boxes(part).map((area) => clipped(part, area)).some((area) => area && area.right - area.left >= 2 && area.bottom - area.top >= 4);
    const parts = isSeen(element) ? [element] : [];
    const walker = Document.prototype.createTreeWalker.call(document, element, NodeFilter.SHOW_ELEMENT);
    for (let count = 0; walker.nextNode(); count += 1) {
      if (count >= limits.parts) return null;
      if (isSeen(walker.currentNode)) parts.push(walker.currentNode);
    }
    const [first, ...others] = parts.map((part) => getComputedStyle(part));
    const isAlike = ({ fontSize, fontWeight, webkitTextFillColor }) =>
      fontSize === first.fontSize && fontWeight === first.fontWeight && webkitTextFillColor === first.webkitTextFillColor;
    const isPlain = (part) => {
      for (let each = part; each !== element; each = parent(each)) {
        const { backgroundClip, filter, mixBlendMode, opacity } = getComputedStyle(each);
        if (opacity !== '1' || filter !== 'none' || mixBlendMode !== 'normal' || backgroundClip.includes('text')) return false;
      }
      return true;
    };
    return parts.length > 0 && others.every(isAlike) && (others.length === 0 || parts.every(isPlain)) ? parts : null;
  };
  const isClip = (element, { overflowX, overflowY }) =>
    overflowX !== 'visible' && overflowY !== 'visible' && element !== document.documentElement && element !== Reflect.get(Document.prototype, 'body', document);
  // What stays in the window while the page is scrolled, and takes up half of it in both directions: a picture of the page shows it behind
  // some texts only, readers behind any.
  const isWide = ({ left, top, right, bottom }) =>
    Math.min(right, innerWidth) - Math.max(left, 0) > innerWidth / 2 && Math.min(bottom, innerHeight) - Math.max(top, 0) > innerHeight / 2;
  const isPainted = ({ backgroundColor, backgroundImage }) => backgroundImage !== 'none' || colourOf(backgroundColor)?.[3] !== 0;
  const paintsWide = (element) => {
    const isSeen = checkVisibility.call(element, { visibilityProperty: true, opacityProperty: true });
    return isSeen && isWide(box(element)) && (/^(?:img|video|canvas|svg|iframe)$/.test(tag(element)) || isPainted(getComputedStyle(element)));
  };
  const elementsIn = (element) => [...nodes(element)].filter((node) => node instanceof Element).slice(0, limits.around);
  const staying = new Map();
  const hasStaying = (element) => {
    if (!staying.has(element)) {
      const fixed = elementsIn(element).filter((each) => getComputedStyle(each).position === 'fixed');
      const isLayer = ['::before', '::after'].map((name) => getComputedStyle(element, name)).some((style) => {
        if (style.content === 'none' || style.position !== 'fixed' || style.display === 'none' || style.visibility !== 'visible' || style.opacity === '0') return false;
        const [left, top, width, height] = [style.left, style.top, style.width, style.height].map(parseFloat);
        return isWide({ left, top, right: left + width, bottom: top + height }) && isPainted(style);
      });
      // A text in one stays in the window as well, and does not get here.
      staying.set(element, isLayer || fixed.some((each) => [each, ...elementsIn(each)].some(paintsWide)));
    }
    return staying.get(element);
  };
  // How a text is painted; null where pixels would not tell what a reader sees.
  const howOf = (element) => {
    const style = getComputedStyle(element);
    if (closest.call(element, turning)) return null;
    let opacity = 1;
    for (let each = element; each; each = around(each)) {
      const { backgroundAttachment, backgroundClip, backgroundImage, filter, mixBlendMode, opacity: own, position } = getComputedStyle(each);
      opacity *= parseFloat(own);
      if (filter !== 'none' || mixBlendMode !== 'normal' || backgroundClip.includes('text')) return null;
      if (backgroundImage !== 'none' && (backgroundAttachment.includes('fixed') || /\.gif\b|data:image\/gif/i.test(backgroundImage))) return null;
      if (moving.has(each)) return null;
      if (position === 'fixed') break;
      if (hasStaying(each)) return null;
    }
    const colour = paintOf(element, style);
    if (!colour || colour[3] === 0 || opacity < 0.1) return null;
    // The ground of a field in a shadow tree can't be painted from outside, and a picture may stand for a text without size.
    if (isField(element) && (getRootNode.call(element) !== document || parseFloat(style.fontSize) === 0)) return null;
    const size = parseFloat(style.fontSize);
    const isLarge = size >= (parseInt(style.fontWeight, 10) >= 700 ? 14 : 18) * 96 / 72;
    return { colour, opacity, size, least: isLarge ? 3 : 4.5, hasShadow: style.textShadow !== 'none', isField: isField(element) };
  };
  // The places of a text on the page, which is in these parts; null if nothing of it is seen, or something moves there.
  const placesOf = (parts) => {
    const [element] = parts;
    let areas = parts.flatMap(boxes);
    for (let each = element; each; each = around(each)) {
      const style = getComputedStyle(each);
      if (each !== element && isClip(each, style)) areas = areas.map((area) => common(area, box(each))).filter(Boolean);
      if (style.position === 'fixed') break;
    }
    areas = areas.slice(0, limits.boxes).filter((area) => area.right - area.left >= 2 && area.bottom - area.top >= 4);
    if (areas.length === 0) return null;
    if (shown.some(({ element: other, area }) => !contains.call(element, other) && areas.some((own) => common(own, area)))) return null;
    const rects = areas.map((area) => [area.left + scrollX, area.top + scrollY, area.right - area.left, area.bottom - area.top].map(Math.round));
    return rects.flat().some((value) => value < 0 || value > limits.place) ? null : rects;
  };
  const look = (...parts) => {
    const how = howOf(parts[0]);
    const rects = how && placesOf(parts);
    return rects && { rects, ...how };
  };
  // The box in which a text that is not seen would have to be scrolled, and the text's place in it; null if there is none.
  const hiddenIn = (element) => {
    const [area] = boxes(element);
    if (!area) return null;
    const scrolled = (each) => ({ left: Reflect.get(Element.prototype, 'scrollLeft', each), top: Reflect.get(Element.prototype, 'scrollTop', each) });
    for (let each = around(element); each; each = around(each)) {
      const style = getComputedStyle(each);
      if (isClip(each, style) && !common(area, box(each))) {
        const scrolls = [style.overflowX, style.overflowY].some((value) => ['auto', 'scroll'].includes(value));
        const { left, top } = scrolled(each);
        const frame = box(each);
        return scrolls ? { box: each, left: area.left - frame.left + left, right: area.right - frame.left + left, top: area.top - frame.top + top, height: area.bottom - area.top } : null;
      }
      if (style.position === 'fixed') return null;
    }
    return null;
  };

  // One text of each kind before the second of any: of thousands that are alike, none crowds another kind out.
  const kinds = new Map();
  for (const node of (left?.nodes ?? []).filter(isFor).slice(0, limits.seen)) {
    const { color, fontSize } = getComputedStyle(node.element);
    const kind = `${tag(node.element)} ${getAttribute.call(node.element, 'class')} ${color} ${fontSize} ${reason(node)}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), node]);
  }
  const inTurn = [];
  for (let turn = 0; [...kinds.values()].some((list) => turn < list.length); turn += 1) for (const list of kinds.values()) if (turn < list.length) inTurn.push(list[turn]);
  const texts = [];
  const hidden = new Map();
  let waiting = 0;
  for (const node of inTurn) {
    if (texts.length + waiting >= limits.texts) break;
    const seen = look(node.element);
    if (seen) texts.push({ node, seen, parts: [node.element] });
    const place = seen ? null : hiddenIn(node.element);
    const how = place && howOf(node.element);
    if (!how) continue;
    waiting += 1;
    hidden.set(place.box, [...(hidden.get(place.box) ?? []), { node, how, place }]);
  }
  // The places to which boxes are scrolled: those with most texts first, and each as few times as its texts need.
  const steps = [];
  for (const [frame, list] of [...hidden].sort(([, one], [, other]) => other.length - one.length)) {
    const [width, height] = ['clientWidth', 'clientHeight'].map((name) => Reflect.get(Element.prototype, name, frame));
    const inOrder = list.toSorted((one, other) => one.place.top - other.place.top);
    while (inOrder.length > 0 && steps.length < limits.steps) {
      const [first] = inOrder;
      const end = inOrder.findIndex(({ place }) => place.top + place.height > first.place.top - limits.margin + height);
      const left = first.place.right > width ? first.place.left - limits.margin : 0;
      steps.push({ frame, left, top: first.place.top - limits.margin, texts: inOrder.splice(0, end === -1 ? inOrder.length : Math.max(end, 1)) });
    }
  }
  // A link is compared with the text of the block around it. What style sheets put before or after it may be what tells it apart.
  const isBlock = (element) => /^(?:block|list-item|table|flex|grid|inline-block)$|^table-/.test(getComputedStyle(element).display);
  // What is between the link and the block has nothing of its own: both stand on the same.
  const isSameGround = (element, block) => {
    for (let each = element; each && each !== block; each = around(each)) {
      const { backgroundColor, backgroundImage, boxShadow, opacity } = getComputedStyle(each);
      if (colourOf(backgroundColor)?.[3] !== 0 || backgroundImage !== 'none' || boxShadow !== 'none' || opacity !== '1') return false;
    }
    return true;
  };
  const links = [];
  const blocks = new Map();
  for (const node of (leftLinks?.nodes ?? []).slice(0, limits.seen)) {
    if (texts.length + 2 > limits.texts) break;
    const isLeft = node.target.length !== 1 || !node.element || !isConnected(node.element) || node.any.some(({ data }) => data?.messageKey === 'pseudoContent');
    if (isLeft || isBlock(node.element)) continue;
    let block = around(node.element);
    while (block && !isBlock(block)) block = around(block);
    const parts = block && partsOf(node.element);
    const seen = parts && look(...parts);
    if (!seen) continue;
    // The text around it may be in an element of its own that is no block.
    let holder = around(node.element);
    while (holder !== block && boxes(holder).length === 0) holder = around(holder);
    if (!blocks.has(holder)) {
      const beside = look(holder);
      blocks.set(holder, beside && texts.push({ node: { element: holder }, seen: { ...beside, isCompared: true }, parts: [holder] }) - 1);
    }
    const other = blocks.get(holder);
    if (other === null) continue;
    const number = texts.push({ node, seen: { ...seen, isCompared: true }, parts }) - 1;
    links.push({ number, other, isSameGround: parts.every((part) => isSameGround(part, holder)) });
  }
  // Text that stands on other text, as where a column runs into the next, has letters for its ground, which pictures without text do not show.
  const overprinted = new Set();
  let overprints = 0;
  const rowsOf = (top, bottom) => Array.from({ length: Math.min(Math.floor(bottom / 50) - Math.floor(top / 50) + 1, limits.rows) }, (_, index) => Math.floor(top / 50) + index);
  // Lines of one text may be so near that their boxes share some pixels.
  const standsOn = (rect, area) => {
    const both = common({ left: rect[0], top: rect[1], right: rect[0] + rect[2], bottom: rect[1] + rect[3] }, area);
    return both && both.right - both.left >= 3 && both.bottom - both.top > Math.max(4, 0.4 * Math.min(rect[3], area.bottom - area.top));
  };
  // Elements whose text is so near to a measured one that its letters could be among the pixels of that.
  const beside = new Set();
  const isBeside = ([left, top, width, height], area) =>
    common({ left: left - limits.near, top: top - limits.near, right: left + width + limits.near, bottom: top + height + limits.near }, area) !== null;
  // Looks for texts below those from this number on, and beside them.
  const findOverprinted = (start) => {
    const rows = new Map();
    for (let number = start; number < texts.length; number += 1) {
      for (const rect of texts[number].seen.rects) {
        for (const row of rowsOf(rect[1], rect[1] + rect[3])) {
          if (!rows.has(row)) rows.set(row, []);
          rows.get(row).push({ number, rect });
        }
      }
    }
    const walker = Document.prototype.createTreeWalker.call(document, document, NodeFilter.SHOW_TEXT);
    while (rows.size > 0 && overprints < limits.overprints && walker.nextNode()) {
      overprints += 1;
      const [node, element] = [walker.currentNode, parent(walker.currentNode)];
      if (!element || !/\S/.test(text(node)) || !checkVisibility.call(element, { visibilityProperty: true, opacityProperty: true })) continue;
      const range = new Range();
      range.selectNodeContents(node);
      const lines = [...range.getClientRects()];
      // Of a text with very many lines, the box around all of them says what may be beside it.
      const areas = lines.length > limits.boxes ? [...lines.slice(0, limits.boxes), range.getBoundingClientRect()] : lines;
      for (const [index, { left, top, right, bottom }] of areas.entries()) {
        const area = { left: left + scrollX, top: top + scrollY, right: right + scrollX, bottom: bottom + scrollY };
        for (const row of rowsOf(area.top - limits.near, area.bottom + limits.near)) {
          const near = rows.get(row) ?? [];
          overprints += near.length;
          for (const { number, rect } of near) {
            if (texts[number].parts.includes(element)) continue;
            if (isBeside(rect, area)) beside.add(element);
            if (overprinted.has(number) || index >= limits.boxes || !standsOn(rect, area)) continue;
            const seen = clipped(element, { left, top, right, bottom });
            if (seen && standsOn(rect, { left: seen.left + scrollX, top: seen.top + scrollY, right: seen.right + scrollX, bottom: seen.bottom + scrollY })) overprinted.add(number);
          }
        }
      }
    }
    // Where there is too much to compare, it is not known of any.
    if (overprints >= limits.overprints) for (let number = start; number < texts.length; number += 1) overprinted.add(number);
  };
  findOverprinted(0);
  // Controls that only a class or the pointer says to be inactive need no contrast.
  const isInactive = (element) => {
    if (getComputedStyle(element).cursor === 'not-allowed') return true;
    for (let [each, level] = [element, 0]; each && level < 5; [each, level] = [around(each), level + 1]) {
      if (/(?:^|[\s_-])disabled(?:$|[\s_-])/i.test(getAttribute.call(each, 'class') ?? '')) return true;
    }
    return false;
  };
  // Until the verdicts are in.
  outcome.probes.inapplicable.push(id, linkId);
  if (texts.length === 0 && steps.length === 0) return { texts, links, steps: 0 };

  // The elements that are painted: those of the measured texts, what is beside them or underlines them, and all within these, since it inherits
  // their colour and may not begin a transition. To paint every element of a page would take several times as long.
  const chosen = new Set();
  let isEvery = false;
  const choose = (element) => {
    let own = element;
    // What is in a shadow tree inherits from its host.
    for (let root = getRootNode.call(own); root instanceof ShadowRoot; root = getRootNode.call(own)) own = Reflect.get(ShadowRoot.prototype, 'host', root);
    if (chosen.has(own)) return;
    const walker = Document.prototype.createTreeWalker.call(document, own, NodeFilter.SHOW_ELEMENT);
    for (let each = own; each && !isEvery; each = walker.nextNode()) {
      chosen.add(each);
      isEvery = chosen.size > limits.painted;
    }
  };
  const underlined = new Map();
  const isUnderlined = (element) => {
    if (!underlined.has(element)) underlined.set(element, getComputedStyle(element).textDecorationLine !== 'none');
    return underlined.get(element);
  };
  // The places of elements among those around them, up to the page's own; null of one that is very deep.
  const children = new Map();
  const pathOf = (element) => {
    const steps = [];
    for (let [each, above] = [element, parent(element)]; above; [each, above] = [above, parent(above)]) {
      if (steps.length >= limits.depth) return null;
      if (!children.has(above)) children.set(above, new Map([...Reflect.get(Element.prototype, 'children', above)].map((child, index) => [child, index + 1])));
      steps.unshift(`${CSS.escape(tag(each))}:nth-child(${children.get(above).get(each)})`);
    }
    return [':root', ...steps].join('>');
  };
  // The selectors of these elements, and of those among them that are letters in drawings.
  let selectors = null;
  const selected = () => {
    if (selectors?.texts === texts.length) return selectors;
    for (const { parts } of texts.slice(selectors?.texts ?? 0)) {
      for (const part of parts) {
        choose(part);
        for (let each = around(part); each && !isEvery; each = around(each)) if (isUnderlined(each)) choose(each);
      }
    }
    beside.forEach(choose);
    const paths = isEvery ? [] : [...chosen].map((element) => [element, pathOf(element)]);
    isEvery ||= paths.some(([, path]) => path === null);
    const of = (isWanted, pseudo = '') => paths.filter(([element]) => isWanted(element)).map(([, path]) => path + pseudo);
    const has = (pseudo) => (element) => getComputedStyle(element, pseudo).content !== 'none';
    selectors = {
      texts: texts.length,
      elements: isEvery ? ['*', '*::before', '*::after'] : [...of(() => true), ...of(has('::before'), '::before'), ...of(has('::after'), '::after')],
      drawn: isEvery ? ['text', 'tspan', 'textPath'] : of(isDrawn),
      fields: texts.flatMap(({ parts }) => parts.filter(isField).map(pathOf)).filter(Boolean),
    };
    return selectors;
  };

  const sheet = new CSSStyleSheet();
  const styles = (rules, ofDrawn = '', ofFields = '') => {
    const { elements, drawn, fields } = selected();
    // The browser leaves out what comes after the first 8,192 parts of the selectors of a rule.
    const chunks = (list) => Array.from({ length: Math.ceil(list.length / limits.selectors) }, (_, chunk) => list.slice(chunk * limits.selectors, (chunk + 1) * limits.selectors));
    return [[elements, rules], [drawn, ofDrawn], [fields, ofFields]].flatMap(([list, each]) => chunks(list).map((chunk) => `${chunk.join()} { ${each} }`)).join(' ');
  };
  const still = 'transition-duration: 0s !important; transition-delay: 0s !important;';
  // How texts are painted: not at all, neither they nor their shadows, or in this colour. Letters in drawings have no colour of text.
  const bare = { css: '-webkit-text-fill-color: transparent !important', drawn: 'fill: transparent !important', seen: 'rgba(0, 0, 0, 0)' };
  const plain = { ...bare, css: `${bare.css}; text-shadow: none !important` };
  const inColour = (colour) => ({
    css: `-webkit-text-fill-color: ${colour} !important; -webkit-text-stroke: 2px ${colour} !important; text-shadow: none !important`,
    drawn: `fill: ${colour} !important; fill-opacity: 1 !important; stroke: ${colour} !important; stroke-width: 2px !important`,
    fields: `background: ${colour} !important`,
    seen: colour,
  });
  const adopted = () => Reflect.get(Document.prototype, 'adoptedStyleSheets', document);
  const settle = () => Reflect.get(HTMLElement.prototype, 'offsetHeight', document.documentElement);
  const lost = overprinted;
  const said = (start) => texts.slice(start).map(({ seen }, index) => ({ number: start + index, ...seen })).filter(({ number }) => !overprinted.has(number));
  const scrollFrame = (frame, left, top) => {
    Element.prototype.scrollTo.call(frame, { left, top, behavior: 'instant' });
    shown = areasOf(visible);
  };
  let scrolled = null;
  // Takes the elements of these verdicts from what axe-core's rule left open, and gives those that have not passed to the probe.
  const decide = (probe, open, verdicts, dataOf) => {
    const { probes, results } = outcome;
    const found = { failed: [], undecided: [] };
    const decided = new Set();
    for (const verdict of verdicts) {
      const { node, seen } = texts[verdict.number];
      decided.add(node);
      if (verdict.is !== 'passed') found[verdict.is === 'failed' ? 'failed' : 'undecided'].push({ element: node.element, data: dataOf(verdict, seen) });
    }
    const result = (list) => ({ id: probe, ...probes.facts[probe], nodes: list.slice(0, limits.nodes).map((each, index) => probes.node(probe, each, index < limits.kept)) });
    if (found.failed.length > 0) probes.violations.push(result(found.failed));
    if (found.undecided.length > 0) probes.incomplete.push(result(found.undecided));
    probes.inapplicable = probes.inapplicable.filter((each) => each !== probe);
    (decided.size > 0 ? probes.passed : probes.inapplicable).push(probe);
    if (!open) return;
    open.nodes = open.nodes.filter((node) => !decided.has(node));
    if (open.nodes.length > 0) return;
    results.incomplete = results.incomplete.filter((each) => each !== open);
    // The rule has run: its elements have passed, or are ours.
    if ([results.passes, results.violations].some((list) => list.some((each) => each.id === open.id))) return;
    (decided.size > found.failed.length + found.undecided.length ? results.passes : results.inapplicable).push(open);
  };
  globalThis.painted = {
    // Paints the measured texts and what is beside them in one way: `bare`, `plain`, or a colour, written as the browser writes it.
    paint(way) {
      const { css, drawn, fields, seen } = { bare, plain }[way] ?? inColour(way);
      sheet.replaceSync(styles(`${still} ${css}; text-decoration-color: transparent !important; caret-color: transparent !important`, drawn, fields));
      if (!adopted().includes(sheet)) adopted().push(sheet);
      settle();
      for (const [number, { parts }] of texts.entries()) {
        const isPainted = (part) => {
          const { backgroundColor, fill, webkitTextFillColor } = getComputedStyle(part);
          return (isDrawn(part) ? fill : webkitTextFillColor) === seen && (!fields || !isField(part) || backgroundColor === seen);
        };
        if (!parts.every(isPainted)) lost.add(number);
      }
    },
    // Scrolls a box to one of its places.
    scroll(step) {
      const { frame, left, top } = steps[step];
      scrolled = { frame, left: Reflect.get(Element.prototype, 'scrollLeft', frame), top: Reflect.get(Element.prototype, 'scrollTop', frame), step };
      scrollFrame(frame, left, top);
    },
    // Scrolls it back.
    scrollBack() {
      const { frame, left, top, step } = scrolled;
      for (const number of steps[step].numbers) {
        const { parts, seen } = texts[number];
        if (JSON.stringify(placesOf(parts)) !== JSON.stringify(seen.rects)) lost.add(number);
      }
      scrollFrame(frame, left, top);
      scrolled = null;
    },
    // Adds the texts that are seen at this place of a box, and returns them.
    find(step) {
      const start = texts.length;
      steps[step].numbers = [];
      this.scroll(step);
      for (const { node, how } of steps[step].texts) {
        const rects = isConnected(node.element) ? placesOf([node.element]) : null;
        if (rects) steps[step].numbers.push(texts.push({ node, seen: { rects, ...how }, parts: [node.element], isScrolled: true }) - 1);
      }
      findOverprinted(start);
      this.scrollBack();
      return said(start);
    },
    // Gives the page its own colours back; returns the numbers of texts that were not painted, or are elsewhere by now.
    end() {
      if (scrolled) this.scrollBack();
      // First the colours, while nothing may take its time, then the rest: so no transition begins.
      sheet.replaceSync(styles(still));
      settle();
      Reflect.set(Document.prototype, 'adoptedStyleSheets', [...adopted()].filter((each) => each !== sheet), document);
      settle();
      for (const [number, { parts, seen, isScrolled }] of texts.entries()) {
        if (isScrolled) continue;
        const now = parts.every((part) => isConnected(part)) ? look(...parts) : null;
        if (JSON.stringify(now?.rects) !== JSON.stringify(seen.rects)) lost.add(number);
      }
      return [...lost];
    },
    // Takes the verdicts: what is decided, or measured, is no longer what axe-core left open.
    settle(verdicts, linkVerdicts) {
      const inOrder = (list) => list.toSorted((one, other) => one.number - other.number);
      const known = (node) => axe.utils.getNodeFromTree(node.element);
      // Text in the colour of its background may be meant not to be seen, and what is not typed yet may get another colour.
      const doubts = { equalRatio: () => true, emptyValue: () => true, shortTextContent: ({ element }) => !isWord(element) };
      const isDoubtful = (node) => doubts[reason(node)]?.(node) || isInactive(node.element);
      const ofText = inOrder(verdicts).filter(({ number, is }) => known(texts[number].node) && (is === 'passed' || !isDoubtful(texts[number].node)));
      decide(id, left, ofText, ({ least, most }, { size, least: needed }) => ({
        contrastRatio: [least, most],
        expectedContrastRatio: `${needed}:1`,
        fontSize: `${(size * 0.75).toFixed(1)}pt (${size}px)`,
      }));
      const ofLinks = inOrder(linkVerdicts).filter(({ number }) => known(texts[number].node));
      decide(linkId, leftLinks, ofLinks, ({ least, most }) => ({ contrastRatio: [least, most], requiredContrastRatio: '3:1' }));
      delete globalThis.painted;
    },
  };
  return { texts: said(0), links, steps: steps.length };
}
