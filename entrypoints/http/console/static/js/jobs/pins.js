// Pinned columns stand beside each other at the left edge: each begins where the one before it ends.

/** Tells the style sheet where pinned columns begin. */
export function placePins(table) {
  const row = table.querySelector("thead tr");
  if (!row) return;
  let left = row.querySelector(".tick").offsetWidth + row.querySelector(".name").offsetWidth;
  row.querySelectorAll(".pin").forEach((one, at) => {
    table.style.setProperty(`--pin-${at}`, `${left}px`);
    left += one.offsetWidth;
  });
}
