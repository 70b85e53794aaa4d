// Reports of the same bounds: their heat map, and the bars of the one that is chosen by a click or by keys.
import { drawHeat, drawScale, fullest, heightOf } from "./heat.js";
import { element } from "../elements.js";
import { NUMBER, bars, numbers, placeOf, saidOf } from "./parts.js";

const ROW_LABELS = 6;

export class HistogramSet {
  constructor(number, name) {
    this.number = number;
    this.heat = element("canvas", { className: "heat", role: "img" });
    this.slider = element("input", { type: "range", min: 0, step: 1, ariaLabel: `Report of ${name}, bounds ${number}` });
    this.rows = element("div", { className: "rows", ariaHidden: "true" });
    this.first = element("span");
    this.last = element("span");
    this.most = element("span");
    this.colours = element("canvas", { ariaHidden: "true" });
    this.shares = element("input", { type: "checkbox", name: "shares" });
    this.caption = element("figcaption");
    this.said = element("small");
    this.scroll = element("div", { className: "scroll", tabIndex: 0, role: "region" });
    this.bars = element("div", { className: "bars" }, this.said, this.scroll);
    this.numbers = element("div", { className: "numbers", tabIndex: 0, role: "region", ariaLabel: `Counts of ${name}, bounds ${number}` });
    this.details = element("details", { id: `numbers-${number}` }, element("summary", {}, "The same numbers as a table"), this.numbers);
    this.figure = this.assembled();
    this.slider.oninput = () => this.choose(Number(this.slider.value));
    this.heat.onclick = (event) => this.clicked(event);
    this.shares.onchange = () => this.draw();
    this.details.ontoggle = () => this.tabulate();
  }

  assembled() {
    const under = element("div", { className: "under" }, this.first, this.last);
    const picture = element("div", { className: "picture" }, this.rows, this.heat, under, this.slider);
    const zero = element("span", { className: "zero", ariaHidden: "true" });
    const choice = element("label", {}, this.shares, " share of its report");
    const scale = element("div", { className: "scale" }, zero, "0", this.colours, this.most, choice);
    return element("figure", { className: "set" }, this.caption, element("div", {}, picture, scale), this.bars, this.details);
  }

  /** Takes in the reports; the last one is chosen as long as nobody chose another. */
  show({ intervals, reports }, attempts, caption) {
    const kept = this.picked && reports.findIndex((one) => one.position === this.picked);
    this.intervals = intervals;
    this.reports = reports;
    this.attempts = attempts;
    this.chosen = kept >= 0 && this.picked ? kept : reports.length - 1;
    this.caption.replaceChildren(...caption);
    this.slider.max = reports.length - 1;
    this.first.textContent = placeOf(reports[0], attempts);
    this.last.textContent = reports.length > 1 ? placeOf(reports.at(-1), attempts) : "";
    this.label();
    this.draw();
    this.tabulate();
  }

  label() {
    const every = Math.ceil(this.intervals.length / ROW_LABELS);
    const shown = this.intervals.map((text, at) => [text, at]).filter(([, at]) => at % every === 0);
    const widest = shown.reduce((most, [text]) => (text.length > most.length ? text : most), "");
    this.rows.replaceChildren(element("span", { className: "widest" }, widest), ...shown.map((one) => this.rowLabel(...one)));
    this.rows.style.height = `${heightOf(this.intervals.length)}px`;
    this.heat.ariaLabel = `Heat map: ${this.reports.length} reports over ${this.intervals.length} intervals, ${placeOf(this.reports[0], this.attempts)} to ${placeOf(this.reports.at(-1), this.attempts)}. The numbers are in the table below.`;
  }

  rowLabel(text, at) {
    const label = element("span", {}, text);
    label.style.bottom = `${(100 * (at + 0.5)) / this.intervals.length}%`;
    return label;
  }

  draw() {
    if (!this.reports || !this.heat.clientWidth) return;
    const shares = this.shares.checked;
    const most = fullest(this.reports, shares);
    this.most.textContent = shares ? `${NUMBER.format(Math.round(most * 1000) / 10)} %` : NUMBER.format(most);
    drawHeat(this.heat, { ...this, shares });
    drawScale(this.colours);
    this.tell();
  }

  tell() {
    const report = this.reports[this.chosen];
    const said = saidOf(report, this.attempts);
    this.slider.value = this.chosen;
    this.slider.setAttribute("aria-valuetext", said);
    this.said.textContent = said;
    this.scroll.ariaLabel = `Counts of ${said}`;
    this.scroll.replaceChildren(bars(report, this.intervals));
  }

  choose(at) {
    this.chosen = Math.min(Math.max(at, 0), this.reports.length - 1);
    this.picked = this.chosen === this.reports.length - 1 ? 0 : this.reports[this.chosen].position;
    this.draw();
  }

  clicked(event) {
    const { left, width } = this.heat.getBoundingClientRect();
    this.choose(Math.floor(((event.clientX - left) / width) * this.reports.length));
    this.slider.focus();
  }

  tabulate() {
    if (this.details.open) this.numbers.replaceChildren(numbers(this.reports, this.intervals, this.attempts));
  }
}
