// Probe of motion that goes on although the browser says that visitors want less of it, as it does in every check.
(kit) => {
  const { attribute, box, closest, isVisible, matches, text } = kit;
  // What says that something is under way moves for a reason.
  const busy = /spin|load|progress|busy|pending|skeleton|shimmer|placeholder/i;
  const shifts = ['transform', 'translate', 'rotate', 'scale', 'left', 'right', 'top', 'bottom', 'marginLeft', 'marginTop', 'backgroundPositionX', 'backgroundPositionY', 'offsetDistance'];
  // A part of a property's value is another at another time.
  const moves = (frames) => shifts.some((name) => new Set(frames.map((frame) => frame[name]).filter((value) => value !== undefined)).size > 1);
  // What appears and disappears, once in two seconds or more often.
  const blinks = (frames, duration) => {
    const shown = frames.map(({ opacity, visibility }) => (visibility === 'hidden' ? 0 : opacity === undefined ? null : Number(opacity))).filter((value) => value !== null);
    const isSeen = frames.some(({ visibility }) => visibility === 'visible');
    return duration <= 2_000 && shown.some((value) => value <= 0.2) && (isSeen || shown.some((value) => value >= 0.8));
  };
  const isBusy = (element) => {
    for (let [each, left] = [element, 3]; each && left > 0; each = kit.parent(each), left -= 1) {
      if (busy.test(`${attribute(each, 'class') ?? ''} ${attribute(each, 'id') ?? ''}`)) return true;
    }
    return closest(element, '[aria-busy="true"], [role="progressbar"], [role="status"]') !== null;
  };

  const reducedMotion = () => {
    const failed = new Map();
    let isApplicable = false;
    for (const { effect, playState } of Document.prototype.getAnimations.call(document).slice(0, 500)) {
      const element = effect?.target;
      if (playState !== 'running' || !(element instanceof Element) || !(effect instanceof KeyframeEffect)) continue;
      const { activeDuration, duration } = effect.getComputedTiming();
      // One run of it that takes longer than minutes is nothing that anybody sees.
      if (!(activeDuration > 5_000) || !(duration < 120_000)) continue;
      const frames = effect.getKeyframes();
      const isText = effect.pseudoElement === null && blinks(frames, duration) && /\p{L}{3}/u.test(text(element));
      // At the moment, it may be one that has disappeared.
      const isThere = isVisible(element) || (isText && kit.parent(element) !== null && isVisible(kit.parent(element)));
      if ((!moves(frames) && !isText) || !isThere) continue;
      const { width, height } = box(element);
      if (width < 8 || height < 8 || matches(element, ':hover') || isBusy(element)) continue;
      isApplicable = true;
      failed.set(element, { element });
    }
    return { failed: [...failed.values()], isApplicable };
  };

  return { 'a11ycheck-reduced-motion': reducedMotion };
}
