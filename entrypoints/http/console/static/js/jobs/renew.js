// Rows as the server has them now, without touching what did not change: focus, ticks, a selection of text and the
// place on the page stay where they are.

/** Makes the table in `here` the one in `there`, which is another document's; false while a text in it is selected. */
export function renew(here, there) {
  if (selectingIn(here)) return false;
  const focused = here.contains(document.activeElement) ? document.activeElement : null;
  for (const part of [".count", ".order"]) replaceChanged(here.querySelector(part), there.querySelector(part), focused);
  renewRows(here.querySelector("tbody"), there.querySelector("tbody"), focused);
  if (focused && focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
  return true;
}

function selectingIn(here) {
  const selection = document.getSelection();
  return selection && !selection.isCollapsed && here.contains(selection.anchorNode);
}

function renewRows(here, there, focused) {
  const known = new Map([...here.rows].map((row) => [row.id, row]));
  let before = here.firstElementChild;
  for (const fresh of [...there.rows]) {
    const row = known.get(fresh.id);
    known.delete(fresh.id);
    if (row) renewCells(row, fresh, focused);
    const placed = row ?? document.importNode(fresh, true);
    if (placed === before) before = before.nextElementSibling;
    else here.insertBefore(placed, before);
  }
  for (const gone of known.values()) gone.remove();
}

function renewCells(row, fresh, focused) {
  const cells = [...row.cells];
  const wanted = [...fresh.cells];
  if (cells.length !== wanted.length) return row.replaceChildren(...wanted.map((one) => document.importNode(one, true)));
  cells.forEach((cell, at) => {
    if (!cell.classList.contains("tick")) replaceChanged(cell, wanted[at], focused);
  });
}

function replaceChanged(here, there, focused) {
  if (!here || !there) return;
  const told = said(there);
  // What the page itself changed, such as a time in the reader's zone, is no news.
  if ((here.told ?? said(here)) === told) return (here.told = told);
  if (focused && here.contains(focused)) return;
  here.told = told;
  here.className = there.className;
  here.replaceChildren(...[...there.childNodes].map((one) => document.importNode(one, true)));
}

/** What the server said, whatever scripts made of it meanwhile. */
function said(element) {
  const times = [...element.querySelectorAll("time")].map((one) => one.dateTime).join(" ");
  const addresses = [...element.querySelectorAll("a")].map((one) => one.getAttribute("href")).join(" ");
  const copy = element.cloneNode(true);
  copy.querySelectorAll("time").forEach((one) => one.remove());
  return [element.className, copy.textContent, times, addresses].join("\u0000");
}
