// Returns the visible pictures whose files may be animated, the largest first, and leaves `pictures` in this world. Its
// `settle` takes the judgements of their frames (`film.rs`, `flashes.rs`) and adds findings to `outcome.probes`, in the
// form of `run.js`. Changes nothing in the page.
(makeStops, limits) => {
  const moving = 'a11ycheck-moving-picture';
  const flashing = 'a11ycheck-flashing-picture';
  const { probes } = outcome;
  const { closest, checkVisibility, getAttribute, getBoundingClientRect, matches } = Element.prototype;
  const { getRootNode } = Node.prototype;
  const { get: getParent } = Object.getOwnPropertyDescriptor(Node.prototype, 'parentElement');
  const isImage = (element) => element instanceof HTMLImageElement;
  const number = (text) => Number.parseFloat(text) || 0;

  // Returns the element and its ancestors, the nearest first, at most `most`.
  const around = (element, most) => {
    const found = [];
    for (let each = element; each && found.length < most; each = getParent.call(each)) found.push(each);
    return found;
  };
  const address = (element) => {
    const address = (isImage(element) ? element.currentSrc : element.src).toWellFormed();
    return address.startsWith('data:') ? address : address.split('#')[0];
  };
  const mayBeAnimated = (url) => (url.startsWith('data:') ? url.length <= limits.address && /^data:image\/(?:gif|webp|png|apng)[;,]/i.test(url) : /^(?:https?|blob):/.test(url));

  // Returns the size in which the whole picture is drawn, in CSS pixels, and whether it is exact. It is larger than the
  // element if the picture is cropped.
  const drawn = (element) => {
    const style = getComputedStyle(element);
    const box = getBoundingClientRect.call(element);
    const width = element.clientWidth - number(style.paddingLeft) - number(style.paddingRight);
    const height = element.clientHeight - number(style.paddingTop) - number(style.paddingBottom);
    const [ownWidth, ownHeight] = isImage(element) ? [element.naturalWidth, element.naturalHeight] : [width, height];
    const within = Math.min(width / ownWidth, height / ownHeight);
    const scales = { contain: within, cover: Math.max(width / ownWidth, height / ownHeight), none: 1, 'scale-down': Math.min(within, 1) };
    const scale = scales[style.objectFit];
    const size = scale === undefined ? [width, height] : [ownWidth * scale, ownHeight * scale];
    // The bounding box shows the effect of transforms.
    const isTurned = Math.abs(box.width - element.offsetWidth) > 1 || Math.abs(box.height - element.offsetHeight) > 1;
    const isWhole = size[0] <= width + 1 && size[1] <= height + 1;
    const stretch = isTurned ? [box.width / element.offsetWidth, box.height / element.offsetHeight] : [1, 1];
    return { size: size.map((length, side) => length * stretch[side]), isExact: isImage(element) && !isTurned && isWhole };
  };
  // Returns whether nothing covers the element where the window shows it, and no style of an ancestor changes how it
  // looks.
  const isClear = (element) => {
    const changes = ({ opacity, filter, mixBlendMode, transform, clipPath, maskImage, backdropFilter = 'none' }) =>
      opacity !== '1' || mixBlendMode !== 'normal' || [filter, transform, clipPath, maskImage, backdropFilter].some((value) => value !== 'none');
    if (around(element, 200).some((each) => changes(getComputedStyle(each)))) return false;
    const { left, top, width, height } = getBoundingClientRect.call(element);
    const root = getRootNode.call(element);
    const { elementFromPoint } = (root instanceof ShadowRoot ? ShadowRoot : Document).prototype;
    const points = [[0.5, 0.5], [0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9]];
    return points.every(([x, y]) => elementFromPoint.call(root, left + x * width, top + y * height) === element);
  };
  const isSeen = (element) => {
    if (isImage(element) && !(element.complete && element.naturalWidth > 0 && element.naturalHeight > 0)) return false;
    const { width, height, right, bottom } = getBoundingClientRect.call(element);
    if (width < limits.side || height < limits.side || right + scrollX <= 0 || bottom + scrollY <= 0) return false;
    return axe.utils.getNodeFromTree(element) && axe.commons.dom.isVisibleOnScreen(element) && checkVisibility.call(element, { visibilityProperty: true, opacityProperty: true });
  };

  const shown = axe.utils
    .querySelectorAll(axe._tree, 'img, input')
    .map(({ actualNode }) => actualNode)
    .filter((element) => (isImage(element) || matches.call(element, 'input[type="image" i]')) && mayBeAnimated(address(element)) && isSeen(element))
    .slice(0, limits.seen)
    .map((element) => ({ element, url: address(element), ...drawn(element) }))
    .filter(({ size }) => size.every((length) => length >= limits.side))
    .sort((one, other) => other.size[0] * other.size[1] - one.size[0] * one.size[1])
    .slice(0, limits.elements);
  if (shown.length === 0) {
    probes.inapplicable.push(moving, flashing);
    return [];
  }

  // The movement of a picture that shows progress is essential as long as the activity takes.
  const busy = /(?<!lazy[-_]?)(?:loader|loading)|spinn|progress|throbber|busy|pending|skeleton|shimmer|please.?wait|geladen|завантаж|ładowan|načít|încărc|загруз/iu;
  const isBusy = (element) => {
    const names = around(element, 3).flatMap((each) => ['class', 'id', 'alt', 'aria-label', 'title'].map((name) => getAttribute.call(each, name) ?? ''));
    const file = /[^/]*$/.exec(address(element).startsWith('data:') ? '' : address(element))[0];
    return busy.test(`${names.join(' ')} ${file}`) || closest.call(element, '[aria-busy="true"], [role="progressbar"], [role="status"], [role="timer"]') !== null;
  };
  // A click on a picture with this cursor may stop it, by a script.
  const isPressed = (element) => getComputedStyle(element).cursor === 'pointer' && closest.call(element, 'a[href]') === null;
  const isBesideText = () => {
    const body = Reflect.get(Document.prototype, 'body', document);
    return body instanceof HTMLElement && /\S/.test(Reflect.get(HTMLElement.prototype, 'innerText', body));
  };

  globalThis.pictures = {
    // Adds the findings for these judgements of animated pictures. `number` is the index of the picture in the list.
    settle(verdicts) {
      const add = (list, id, found) => {
        const nodes = found.slice(0, limits.kept).map((each) => probes.node(id, each, true));
        if (nodes.length > 0) list.push({ id, ...probes.facts[id], nodes });
      };
      const movers = isBesideText() ? verdicts.filter(({ movement }) => movement !== null) : [];
      const stops = makeStops();
      const isStill = movers.length > 0 && !stops.hasControls() && !stops.hasStop();
      const moved = movers.map(({ number, movement }) => {
        const { element, size } = shown[number];
        const isLarge = size.every((length) => length >= limits.large);
        const data = { messageKey: isBusy(element) ? 'busy' : 'default' };
        return { element, data, isSure: movement.isSure && isStill && isLarge && isImage(element) && data.messageKey === 'default' && !isPressed(element) };
      });
      add(probes.violations, moving, moved.filter(({ isSure }) => isSure));
      add(probes.incomplete, moving, moved.filter(({ isSure }) => !isSure));

      const flashed = verdicts
        .filter((verdict) => verdict.flashes !== null)
        .map(({ number, flashes: { isSure, rate, area } }) => {
          const { element, isExact } = shown[number];
          return { element, data: { rate, area }, isSure: isSure && isExact && isClear(element) };
        });
      add(probes.violations, flashing, flashed.filter(({ isSure }) => isSure));
      add(probes.incomplete, flashing, flashed.filter(({ isSure }) => !isSure));
      (verdicts.length > 0 ? probes.passed : probes.inapplicable).push(moving, flashing);
      delete globalThis.pictures;
    },
  };
  return shown.map(({ url, size }) => ({ url, size }));
}
