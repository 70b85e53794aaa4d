// The rows of a chart as a table, the last first.
import { element } from "../elements.js";
import { count, stepped, value } from "./numbers.js";

const MOST = 200;

/** Of {rows, earlier}; superseded points follow, by attempt. */
export function rowsTable(key, { rows, earlier }, clock = false) {
  const names = [clock ? "time" : "step", "least", "mean", "greatest", "last", "points", ...(rows.smoothed ? ["smoothed"] : [])];
  const table = element("table");
  const head = table.createTHead().insertRow();
  for (const name of names) head.append(element("th", { scope: "col", textContent: name }));
  fill(table.createTBody(), rows, clock);
  const place = element("div", { className: "rows", tabIndex: 0, role: "region", ariaLabel: `${key} in numbers` }, table);
  if (rows.step.length > MOST) place.append(`The last ${MOST} of ${count(rows.step.length)} rows; the CSV has every point.`);
  for (const one of earlier) {
    const body = table.createTBody();
    body.insertRow().append(element("th", { scope: "rowgroup", colSpan: names.length, textContent: `superseded, attempt ${one.attempt}` }));
    fill(body, one.rows, clock);
  }
  return place;
}

function fill(body, rows, clock) {
  for (let at = rows.step.length - 1; at >= Math.max(0, rows.step.length - MOST); at -= 1) {
    const row = body.insertRow();
    row.append(element("th", { scope: "row", textContent: stepped(rows.step[at], clock) }));
    for (const name of ["min", "mean", "max", "last"]) row.insertCell().textContent = value(rows[name][at]);
    row.insertCell().textContent = count(rows.count[at]);
    if (rows.smoothed) row.insertCell().textContent = value(rows.smoothed[at]);
  }
}
