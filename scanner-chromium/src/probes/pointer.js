// Probes of what a pointer has to do.
(kit) => {
  const { all, isExposed, isVisible } = kit;

  // What the browser drags where a page says so, and what widespread libraries drag themselves. Links and pictures can be dragged on any page.
  const dragged = '[draggable="true" i]:not(a, a *, img), .ui-draggable:not(.ui-draggable-disabled), .ui-sortable:not(.ui-sortable-disabled) > *, .cdk-drag:not(.cdk-drag-disabled), [data-rbd-drag-handle-draggable-id], [data-rfd-drag-handle-draggable-id]';
  const dragging = () => {
    const found = all(dragged).find((element) => isVisible(element) && isExposed(element));
    // The question is the same for each of them.
    return { failed: [], undecided: found ? [{ element: found }] : [], isApplicable: found !== undefined };
  };

  return { 'a11ycheck-dragging': dragging };
}
