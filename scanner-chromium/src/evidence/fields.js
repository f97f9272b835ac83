// Notes from its call on, with each frame that is drawn, where the page shows the values of fields, until
// `shownFields.end()` returns all of these places: a page may move its fields while pictures are taken. What it sees
// stays in this world, and nothing of the page changes. `limits` bounds how much is noted.
//
// A place is the rectangle of a value from the viewport's top left corner, and in the top document (`isTop`) from the
// document's. Borders, labels and icons in the padding of a field are no part of it.
(limits, isTop) => {
  // Getters and methods are called directly, since the fields of a form may hide its properties with their names, and
  // other elements those of the document.
  const read = (type, name, node) => Reflect.get(type.prototype, name, node);
  const select = (root, selector) => {
    const type = root === document ? Document : DocumentFragment;
    return type.prototype.querySelectorAll.call(root, selector);
  };

  // The types without text that somebody typed, and passwords, which are shown as dots.
  const plain = new Set(['button', 'checkbox', 'color', 'hidden', 'image', 'password', 'radio', 'range', 'reset', 'submit']);
  const isEditable = (element) => element instanceof HTMLElement && read(HTMLElement, 'isContentEditable', element);
  const hasValue = (element) => {
    if (element instanceof HTMLInputElement) return !plain.has(element.type) && element.value !== '';
    if (element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement) return element.value !== '';
    // What is inside an editable element belongs to it.
    const parent = read(Node, 'parentElement', element);
    return isEditable(element) && !(parent && isEditable(parent)) && read(Node, 'textContent', element).trim() !== '';
  };

  // The document and every open shadow tree in it.
  const findTrees = () => {
    const found = [document];
    for (const tree of found) {
      for (const element of select(tree, '*')) {
        const root = read(Element, 'shadowRoot', element);
        if (root instanceof ShadowRoot && found.length < limits.roots) found.push(root);
      }
    }
    return found;
  };
  let trees = findTrees();
  const fields = () => {
    const found = trees.flatMap((tree) => [...select(tree, 'input, textarea, select, [contenteditable]')]);
    const body = read(Document, 'body', document);
    if (read(Document, 'designMode', document) === 'on' && body) found.push(body);
    return found.filter(hasValue);
  };

  const whole = ({ x, y, width, height }) => [x, y, width, height];
  const common = ([x, y, width, height], [otherX, otherY, otherWidth, otherHeight]) => {
    const [left, top] = [Math.max(x, otherX), Math.max(y, otherY)];
    return [left, top, Math.min(x + width, otherX + otherWidth) - left, Math.min(y + height, otherY + otherHeight) - top];
  };
  const rectangles = (element) => {
    const box = Element.prototype.getBoundingClientRect.call(element);
    const size = (name) => read(HTMLElement, name, element);
    // If it is scaled or turned, its border can't be distinguished from its text.
    if (Math.abs(box.width - size('offsetWidth')) > 1 || Math.abs(box.height - size('offsetHeight')) > 1) return [whole(box)];
    const style = getComputedStyle(element);
    const pixels = (name) => parseFloat(style[name]) || 0;
    // The area inside the border, without scrollbars.
    const [left, top] = [box.x + read(Element, 'clientLeft', element), box.y + read(Element, 'clientTop', element)];
    const inside = [left, top, read(Element, 'clientWidth', element), read(Element, 'clientHeight', element)];

    if (isEditable(element) && !(element instanceof HTMLTextAreaElement)) {
      const range = new Range();
      range.selectNodeContents(element);
      const lines = [...range.getClientRects()].map(whole);
      const isCut = style.overflowX !== 'visible' || style.overflowY !== 'visible';
      if (lines.length <= limits.lines) return isCut ? lines.map((line) => common(line, inside)) : lines;
      const all = whole(range.getBoundingClientRect());
      return [isCut ? common(all, inside) : all];
    }

    const isScrolled = ['Width', 'Height'].some((edge) =>
      read(Element, `scroll${edge}`, element) > read(Element, `client${edge}`, element));
    if ((element instanceof HTMLTextAreaElement && isScrolled) || style.writingMode !== 'horizontal-tb') return [inside];
    // The arrow of a drop-down list has its own room beside the text.
    const isMenu = element instanceof HTMLSelectElement && !element.multiple && element.size <= 1 && style.appearance !== 'none';
    const arrow = isMenu ? limits.arrow : 0;
    const paddingLeft = pixels('paddingLeft') + (style.direction === 'rtl' ? arrow : 0);
    const paddingTop = pixels('paddingTop');
    const width = inside[2] - pixels('paddingLeft') - pixels('paddingRight') - arrow;
    const height = inside[3] - paddingTop - pixels('paddingBottom');
    // A line may be higher than the room that is left for it; it is centred then.
    const line = Math.max(height, parseFloat(style.lineHeight) || 1.6 * pixels('fontSize'));
    return [common([left + paddingLeft, top + paddingTop + (height - line) / 2, width, line], inside)];
  };

  const shown = new Map();
  let isTooMuch = false;
  const note = () => {
    const [left, top] = isTop ? [scrollX, scrollY] : [0, 0];
    for (const element of fields()) {
      if (!Element.prototype.checkVisibility.call(element, { visibilityProperty: true })) continue;
      for (const [x, y, width, height] of rectangles(element)) {
        const place = [x + left, y + top, width, height];
        if (width <= 0 || height <= 0 || !place.every(Number.isFinite)) continue;
        if (shown.size >= limits.places) isTooMuch = true;
        else shown.set(place.join(), place);
      }
    }
  };

  // Nothing asks for the places after that time.
  const until = performance.now() + limits.time;
  let isEnded = false;
  const eachFrame = () => {
    if (isEnded || performance.now() > until) return;
    note();
    requestAnimationFrame(eachFrame);
  };
  note();
  requestAnimationFrame(eachFrame);
  addEventListener('resize', note);
  globalThis.shownFields = {
    // Returns JSON text; null if there are too many places.
    end: () => {
      trees = findTrees();
      note();
      isEnded = true;
      removeEventListener('resize', note);
      return JSON.stringify(isTooMuch ? null : { places: [...shown.values()], size: [innerWidth, innerHeight], scroll: [scrollX, scrollY] });
    },
  };
}
