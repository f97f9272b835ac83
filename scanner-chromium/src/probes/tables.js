// Probes of tables.
(kit) => {
  const { all, attribute, closest, has, inside, isExposed, isVisible, name, role, tag, text } = kit;
  const most = 5_000;

  const headers = new Set(['columnheader', 'rowheader']);
  const cellRoles = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);
  const span = (cell, attribute_) => Math.min(Math.max(parseInt(attribute(cell, attribute_), 10) || 1, 1), 1_000);
  // The cells of a table by row and column, whether they are those of HTML or have roles; null if there are too many.
  const grid = (table) => {
    const rows = [...inside(table, 'tr, [role="row"]')].filter((row) => closest(kit.parent(row), 'table, [role="table"], [role="grid"], [role="treegrid"]') === table);
    const slots = rows.map(() => []);
    const cells = [];
    for (const [y, row] of rows.entries()) {
      let x = 0;
      const own = [...inside(row, 'td, th, [role="cell"], [role="gridcell"], [role="columnheader"], [role="rowheader"]')];
      for (const cell of own.filter((cell) => closest(kit.parent(cell), 'tr, [role="row"]') === row)) {
        if (!isExposed(cell) || !cellRoles.has(role(cell))) continue;
        while (slots[y][x]) x += 1;
        const [width, height] = [span(cell, 'colspan'), span(cell, 'rowspan')];
        const known = { cell, x, y, width, height: Math.min(height, rows.length - y) };
        cells.push(known);
        if (cells.length > most) return null;
        for (let down = 0; down < known.height; down += 1) for (let right = 0; right < width; right += 1) slots[y + down][x + right] = known;
      }
    }
    return { cells, slots };
  };
  const tables = () => all('table, [role="table"], [role="grid"], [role="treegrid"]').filter((table) => isExposed(table) && isVisible(table) && ['table', 'grid', 'treegrid'].includes(role(table)));
  const isHeader = ({ cell }) => headers.has(role(cell));
  const idsOf = (cell) => (attribute(cell, 'headers') ?? '').split(/\s+/).filter(Boolean);

  const headerCells = () => {
    const [failed, undecided] = [[], []];
    let isApplicable = false;
    for (const table of tables()) {
      const found = grid(table);
      if (!found) continue;
      const { cells, slots } = found;
      const named = new Set(cells.flatMap(({ cell }) => idsOf(cell)));
      const hasData = cells.some((each) => !isHeader(each));
      for (const header of cells.filter(isHeader)) {
        const { cell, x, y, width, height } = header;
        if (!isVisible(cell) || (text(cell).trim() === '' && inside(cell, '*').length === 0)) continue;
        isApplicable = true;
        const id = attribute(cell, 'id');
        if (id && named.has(id)) continue;
        const scope = (attribute(cell, 'scope') ?? '').toLowerCase();
        const isData = (slot) => slot && !isHeader(slot);
        // What a header without a scope is the header of, as HTML has it.
        const isRow = role(cell) === 'rowheader' || ['row', 'rowgroup'].includes(scope);
        const isColumn = ['col', 'colgroup'].includes(scope) || (!isRow && tag(cell) !== 'th') || (!isRow && !slots.slice(y, y + height).some((row) => row.some(isData)));
        const isRowByPlace = !isColumn && !slots.some((row) => row.slice(x, x + width).some(isData));
        // A cell that names its headers itself has no others.
        const isOther = (slot) => slot && slot !== header && !has(slot.cell, 'headers');
        const below = slots.slice(y + height).some((row) => row.slice(x, x + width).some(isOther));
        const beside = slots.slice(y, y + height).some((row) => row.slice(x + width).some(isOther));
        const isAssigned = isColumn ? below : isRow || isRowByPlace ? beside : below || beside;
        if (isAssigned) continue;
        // A table of headers alone may be no table of data.
        if (hasData && cells.length > 2) failed.push({ element: cell });
        else undecided.push({ element: cell });
      }
    }
    return { failed, undecided, isApplicable };
  };

  const markup = () => {
    const failed = [];
    let isApplicable = false;
    for (const table of all('table')) {
      const given = (attribute(table, 'role') ?? '').trim().toLowerCase();
      if (['presentation', 'none'].includes(given) || !isVisible(table) || !isExposed(table)) continue;
      const rows = Reflect.get(HTMLTableElement.prototype, 'rows', table);
      if (rows.length < 2 || rows.length > most) continue;
      const cells = [...rows].flatMap((row) => [...Reflect.get(HTMLTableRowElement.prototype, 'cells', row)]);
      isApplicable = true;
      const outer = closest(kit.parent(table), 'td, th');
      if (outer && ['cell', 'gridcell'].includes(role(outer) ?? 'cell')) {
        failed.push({ element: table, data: { messageKey: 'nested' } });
        continue;
      }
      const filled = cells.filter((cell) => text(cell).trim() !== '');
      // A table in a table, forms and whole texts in cells lay a page out.
      const isLayout = cells.some((cell) => inside(cell, 'table, form, h1, h2, ul, ol').length > 0 || text(cell).length > 500);
      const isRegular = new Set([...rows].map((row) => Reflect.get(HTMLTableRowElement.prototype, 'cells', row).length)).size === 1;
      if (filled.length < 4 || isLayout || Reflect.get(HTMLTableRowElement.prototype, 'cells', rows[0]).length < 2) continue;
      const marked = cells.filter((cell) => tag(cell) === 'th' || headers.has(role(cell)));
      if (marked.length === 0 && isRegular) failed.push({ element: table, data: { messageKey: 'none' } });
      else if (marked.length === cells.length) failed.push({ element: table, data: { messageKey: 'only' } });
      else {
        const first = [...Reflect.get(HTMLTableRowElement.prototype, 'cells', rows[0])];
        const side = [...rows].slice(1).map((row) => Reflect.get(HTMLTableRowElement.prototype, 'cells', row)[0]);
        const isBoth = first.slice(1).some((cell) => marked.includes(cell)) && side.some((cell) => marked.includes(cell));
        const isSaid = marked.some((cell) => has(cell, 'scope') || has(cell, 'id'));
        if (isBoth && !isSaid) failed.push({ element: table, data: { messageKey: 'scope' } });
        // A heading or a paragraph right before the table may be what names it.
        const before = Reflect.get(Element.prototype, 'previousElementSibling', table);
        const isNamed = name(table) !== '' || inside(table, 'caption').length > 0 || closest(table, 'figure') !== null;
        if (!isNamed && !(before && /^(?:h[1-6]|p)$/.test(tag(before)))) failed.push({ element: table, data: { messageKey: 'caption' } });
      }
    }
    return { failed, isApplicable };
  };

  return { 'a11ycheck-header-cells': headerCells, 'a11ycheck-table-markup': markup };
}
