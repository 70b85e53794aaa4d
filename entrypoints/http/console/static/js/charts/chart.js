// <tp-chart>: one series. It fills itself when it comes into view, and forgets its drawing when it is far away.
import { count, invalids, measured, summary, value } from "./numbers.js";
import { hidden, plot } from "./plot.js";

const TABLE_ROWS = 200;

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, given] of Object.entries(attributes)) {
    if (key in made && key !== "list") made[key] = given;
    else made.setAttribute(key, given);
  }
  made.append(...children);
  return made;
}

class Chart extends HTMLElement {
  /** `board` answers for what all charts share: axis, log, zoom, fetching. */
  prepare(series, board) {
    this.series = series;
    this.board = board;
  }

  /** It came into view. */
  enter() {
    this.inView = true;
    if (!this.plotPlace) this.build();
    if (this.stale !== false) this.load();
  }

  /** It is far away: its canvas is given back, its numbers stay. */
  leave() {
    this.inView = false;
    this.drawn?.destroy();
    this.drawn = null;
    this.stale = true;
  }

  /** There is more, or another way to look at it. */
  renew(series) {
    if (series) this.series = series;
    this.stale = true;
    if (this.inView) return this.load();
  }

  build() {
    const { key } = this.series;
    this.last = element("span", { className: "last" });
    this.plotPlace = element("div", { className: "plot", role: "img", ariaLabel: summary(this.series, null) });
    this.say = element("span", { className: "say" });
    this.invalid = element("span", { className: "invalid" });
    const table = element("button", { type: "button", textContent: "table" });
    table.setAttribute("aria-expanded", "false");
    table.onclick = () => this.toggleTable(table);
    const links = [];
    if (this.board.csv) links.push(element("a", { href: this.linked(this.board.csv), textContent: "CSV" }));
    links.push(element("a", { href: this.linked(this.board.data), textContent: "JSON" }));
    const heading = element("h3", { title: this.described() }, element("bdi", { textContent: key }));
    this.replaceChildren(
      element("header", {}, heading, this.last),
      this.plotPlace,
      element("div", { className: "about" }, this.say, this.invalid, table, ...links),
    );
    this.plotPlace.ondblclick = () => this.board.reset();
  }

  described() {
    const { key, descriptor } = this.series;
    if (!descriptor) return `${key}\nNothing was declared of it: numeric and neutral.`;
    return [key, ...Object.entries(descriptor).map(([name, said]) => `${name}: ${said}`)].join("\n");
  }

  linked(address) {
    return `${address}${address.includes("?") ? "&" : "?"}key=${encodeURIComponent(this.series.key)}`;
  }

  async load() {
    if (this.loading) return (this.again = true);
    this.loading = true;
    try {
      this.rows = await this.board.rows(this);
      this.stale = false;
      if (this.inView) this.draw();
    } catch (problem) {
      this.say.textContent = `Not read: ${problem.message}`;
    }
    this.loading = false;
    if (this.again) {
      this.again = false;
      await this.load();
    }
  }

  draw() {
    const { axis, log } = this.board;
    this.drawn?.destroy();
    this.drawn = null;
    this.plotPlace.replaceChildren();
    const rows = this.rows;
    const lost = invalids(this.series.invalid);
    this.invalid.textContent = lost ? `${lost} from step ${count(this.series.invalid.first_step)}` : "";
    this.plotPlace.setAttribute("aria-label", summary(this.series, rows));
    if (!rows || !rows.step.length) {
      this.say.textContent = this.series.count ? "No point in this range." : "No finite value.";
      this.last.textContent = "";
      return;
    }
    this.drawn = plot(this.plotPlace, rows, {
      axis, log, sync: this.board.sync,
      invalidStep: this.series.invalid.first_step,
      onZoom: (from, to) => this.board.zoom(from, to),
      onPoint: (index) => this.describe(index),
    });
    this.describe(null);
    if (this.rowsPlace) this.fillTable();
  }

  describe(index) {
    const { rows, series } = this;
    const { direction } = series.descriptor ?? {};
    if (index !== null && index < rows.step.length) {
      const band = rows.count[index] > 1 ? ` (${value(rows.min[index])} to ${value(rows.max[index])}, ${count(rows.count[index])} points)` : "";
      this.say.textContent = `step ${count(rows.step[index])}: ${value(rows.mean[index])}${band}`;
      return;
    }
    const end = rows.last.length - 1;
    const arrow = direction === "higher" ? " ↑ better" : direction === "lower" ? " ↓ better" : "";
    this.last.textContent = measured(rows.last[end], series.descriptor);
    const many = rows.count.reduce((sum, one) => sum + one, 0);
    const drawn = rows.exact ? `all ${count(many)} points` : `${count(rows.step.length)} buckets of ${count(many)} points`;
    const unseen = this.board.log ? hidden(rows) : 0;
    this.say.textContent = `${drawn}${arrow}${unseen ? `; ${count(unseen)} not positive, not on a log axis` : ""}`;
  }

  toggleTable(button) {
    const shown = !this.rowsPlace;
    button.setAttribute("aria-expanded", String(shown));
    this.classList.toggle("tabled", shown);
    if (!shown) {
      this.rowsPlace.remove();
      this.rowsPlace = null;
      return;
    }
    this.rowsPlace = element("div", { className: "rows", tabIndex: 0 });
    this.rowsPlace.setAttribute("role", "region");
    this.rowsPlace.setAttribute("aria-label", `${this.series.key} in numbers`);
    this.append(this.rowsPlace);
    this.fillTable();
  }

  fillTable() {
    const rows = this.rows ?? { step: [] };
    const first = Math.max(0, rows.step.length - TABLE_ROWS);
    const table = element("table");
    const head = table.createTHead().insertRow();
    for (const name of ["step", "least", "mean", "greatest", "last", "points"]) head.append(element("th", { scope: "col", textContent: name }));
    const body = table.createTBody();
    for (let at = rows.step.length - 1; at >= first; at -= 1) {
      const row = body.insertRow();
      row.append(element("th", { scope: "row", textContent: count(rows.step[at]) }));
      for (const name of ["min", "mean", "max", "last"]) row.insertCell().textContent = value(rows[name][at]);
      row.insertCell().textContent = count(rows.count[at]);
    }
    const note = first ? `The last ${TABLE_ROWS} of ${count(rows.step.length)} rows; the CSV has every point.` : "";
    this.rowsPlace.replaceChildren(table, note);
  }
}

customElements.define("tp-chart", Chart);
