// Returns where elements are now, from the page's top left corner, as JSON text: the areas of all elements that
// `collect.js` returned, and for those that are to be pictured (`numbers`) the part that can be seen of each, which
// whatever it is in may cut off. Null stands for an element that is not shown.
//
// No timer is used, since none fires while the page's scripts are stopped.
async (numbers, reach) => {
  const { elements, area } = placed;
  const areas = elements.map((found) => found && area(found));

  // The browser knows what is cut off by scrolling and clipping ancestors, if the viewport is not what cuts it off.
  const seen = (wanted) => new Promise((resolve) => {
    const observer = new IntersectionObserver(
      (entries) => {
        observer.disconnect();
        resolve(new Map(entries.map(({ target, intersectionRect }) => [target, intersectionRect])));
      },
      { rootMargin: `${reach}px` },
    );
    wanted.forEach((element) => observer.observe(element));
  });
  // What frames cut off is left out of the area, and an observer here would not see it in the page's coordinates.
  const own = numbers.filter((number) => areas[number] && elements[number].frames.length === 0);
  const inView = own.length > 0 ? await seen(new Set(own.map((number) => elements[number].element))) : new Map();
  const common = ([x, y, width, height], rect) => {
    const [left, top] = [rect.x + scrollX, rect.y + scrollY].map(Math.round);
    const [right, bottom] = [left + Math.round(rect.width), top + Math.round(rect.height)];
    const part = [Math.max(x, left), Math.max(y, top)];
    part.push(Math.min(x + width, right) - part[0], Math.min(y + height, bottom) - part[1]);
    return part[2] > 0 && part[3] > 0 ? part : null;
  };
  const visible = numbers.map((number) => {
    const rect = areas[number] && inView.get(elements[number].element);
    return rect ? common(areas[number], rect) : areas[number];
  });
  return JSON.stringify({ areas, visible });
}
