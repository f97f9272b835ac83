// Returns functions that say whether the page, or an element if one is given, has any controls, and whether the name of a control or a link there says
// that it may stop a movement.
() => {
  const { checkVisibility, getAttribute } = Element.prototype;
  const { querySelectorAll } = Document.prototype;
  const { get } = Object.getOwnPropertyDescriptor(Node.prototype, 'textContent');
  const isShown = (element) => checkVisibility.call(element, { visibilityProperty: true, opacityProperty: true });
  // Words for pausing, stopping, hiding and setting something, in the languages of reports.
  const stops = /pause|stop|hide|halt|freeze|close|dismiss|off\b|settings|preferences|frequency|interval|anhalten|stopp|pausier|ausblend|verberg|schließ|einstellung|häufigkeit|пауз|зупин|призупин|прихова|сховат|закри|налаштув|частот|wstrzym|zatrzym|pauz|ukryj|zamknij|ustawien|częstotliw|pozastav|zastav|skrý|zavřít|nastaven|frekvenc|pauză|oprește|ascunde|închide|setări|frecvenț|останов|приостанов|скры|закры|настройк/iu;
  const controls = 'button, input:not([type="hidden" i]), select, summary, audio[controls], video[controls], [role="button"], [role="switch"], [role="checkbox"], [role="slider"], [role="menuitem"], [onclick], iframe';
  const name = (element) => `${getAttribute.call(element, 'aria-label') ?? ''} ${getAttribute.call(element, 'title') ?? ''} ${getAttribute.call(element, 'value') ?? ''} ${get.call(element).slice(0, 200)}`;
  const select = (selector, within) => [...(within ? Element.prototype.querySelectorAll.call(within, selector) : querySelectorAll.call(document, selector))].filter(isShown);
  return {
    hasControls: (within) => select(controls, within).length > 0,
    hasStop: (within) => select(`${controls}, a[href], label`, within).some((element) => stops.test(name(element))),
  };
}
