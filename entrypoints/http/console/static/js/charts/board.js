// What all charts of a page share: axis, scale, smoothing, zoom, whether earlier attempts show, and how points are read.
import { Fetching } from "./fetching.js";
import { asked, keep } from "./kept.js";
import { count, stepped, value } from "./numbers.js";

const SMOOTHING_MILLISECONDS = 200;
const ZOOM = 2;
const PAN = 4;
const COLUMNS = ["step", "time", "min", "max", "mean", "last", "count", "smoothed"];

export class Board {
  /** `host` holds the controls and the addresses; it is told `renew()` and `redraw()`. A control that it lacks keeps its usual value. */
  constructor(host) {
    this.host = host;
    for (const name of ["data", "csv", "page"]) this[name] = host.getAttribute(name);
    this.sync = "charts";
    this.range = null;
    this.points = new Fetching(this.data);
    this.superseded = host.hasAttribute("superseded") ? new Fetching(host.getAttribute("superseded")) : null;
    /** Steps are microseconds of a clock. */
    this.clock = host.hasAttribute("clock");
    this.axis = host.getAttribute("axis") ?? (this.control("axis") && asked("x") === "time" ? "time" : "step");
    this.log = Boolean(this.control("log")) && asked("log") === "1";
    this.smooth = this.control("smooth") ? weight(asked("smooth")) : 0;
    this.earlier = Boolean(this.control("earlier")) && asked("earlier") === "1";
    this.bind();
  }

  control(name) {
    return this.host.querySelector(`[name="${name}"]`);
  }

  bind() {
    const on = (name, property, shown, changed) => {
      const input = this.control(name);
      if (!input) return;
      input[property] = shown;
      input.addEventListener(name === "smooth" ? "input" : "change", () => changed(input[property]));
    };
    on("axis", "value", this.axis, (axis) => {
      this.axis = axis;
      keep({ x: axis === "time" ? "time" : null });
      this.unzoom();
      this.host.renew();
    });
    on("log", "checked", this.log, (log) => {
      this.log = log;
      keep({ log: log ? "1" : null });
      this.host.redraw();
    });
    on("earlier", "checked", this.earlier, (earlier) => {
      this.earlier = earlier;
      keep({ earlier: earlier ? "1" : null });
      this.host.renew();
    });
    on("smooth", "value", this.smooth, (smooth) => this.smoothen(weight(smooth)));
    this.saySmoothing();
    this.control("reset")?.addEventListener("click", () => this.reset());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.host.redraw());
  }

  smoothen(smooth) {
    this.smooth = smooth;
    this.saySmoothing();
    clearTimeout(this.smoothing);
    this.smoothing = setTimeout(() => {
      keep({ smooth: smooth || null });
      this.host.renew();
    }, SMOOTHING_MILLISECONDS);
  }

  saySmoothing() {
    const place = this.control("smoothing");
    if (place) place.textContent = this.smooth ? this.smooth.toFixed(2) : "off";
  }

  /** What a series shows: {rows, earlier: [{attempt, rows}]}. `series` keeps its overview between calls. */
  async read(series) {
    const query = new Map();
    if (this.axis === "time") query.set("x", "time");
    if (this.smooth) query.set("smooth", this.smooth);
    const steps = await this.steps(series);
    if (steps) steps.forEach((step, at) => query.set(at ? "to" : "from", step));
    const [rows, earlier] = await Promise.all([
      this.points.of(series.key, query),
      this.earlier && this.superseded ? this.superseded.of(series.key, query) : null,
    ]);
    if (!this.range) series.overview = rows;
    return {
      rows: rows && this.ordered(rows),
      earlier: (earlier ?? []).map(({ attempt, chart }) => ({ attempt, rows: this.ordered(chart) })),
    };
  }

  /** The range as steps: one of time is looked up in the overview. */
  async steps(series) {
    if (!this.range) return null;
    if (this.axis === "step") return [this.range.from, this.range.to];
    series.overview ??= await this.points.of(series.key);
    const { step = [], time = [] } = series.overview ?? {};
    const within = step.filter((_, at) => time[at] >= this.range.from && time[at] <= this.range.to);
    return within.length ? [Math.min(...within), Math.max(...within)] : [1, 0];
  }

  /** Rows by what is on the axis, where the server has not put them so already. */
  ordered(rows) {
    const x = rows[this.axis];
    if (x.every((one, at) => !at || x[at - 1] <= one)) return rows;
    const order = x.map((_, at) => at).sort((left, right) => x[left] - x[right]);
    const sorted = { exact: rows.exact };
    for (const name of COLUMNS) sorted[name] = rows[name] && order.map((at) => rows[name][at]);
    return sorted;
  }

  zoom(from, to) {
    this.range = this.axis === "step" ? { from: Math.max(0, Math.ceil(from)), to: Math.floor(to) } : { from, to };
    if (this.range.to < this.range.from) this.range.to = this.range.from;
    const shown = (one) => (this.axis === "step" ? count(one) : new Date(one * 1000).toLocaleTimeString());
    this.sayZoom(`${this.axis} ${shown(this.range.from)} to ${shown(this.range.to)}`);
    this.host.renew();
  }

  reset() {
    if (this.unzoom()) this.host.renew();
  }

  unzoom() {
    const zoomed = Boolean(this.range);
    this.range = null;
    this.sayZoom("");
    return zoomed;
  }

  sayZoom(text) {
    const place = this.control("zoom");
    if (place) place.textContent = text;
    const button = this.control("reset");
    if (button) button.disabled = !text;
  }

  /** Keys over a chart: + and - zoom, arrows go along, 0 or Escape shows all. `x` are those drawn. Whether the key was one of them. */
  key(pressed, x, whole) {
    if (!x.length) return false;
    if (pressed === "0" || pressed === "Escape") return this.range ? (this.reset(), true) : false;
    const from = this.range?.from ?? x[0];
    const to = this.range?.to ?? x[x.length - 1];
    const width = to - from;
    const around = (half) => this.zoomWithin((from + to) / 2 - half, (from + to) / 2 + half, whole);
    if (pressed === "+" || pressed === "=") return around(width / 2 / ZOOM);
    if (!this.range) return false;
    if (pressed === "-") return around((width / 2) * ZOOM);
    const by = { ArrowLeft: -width / PAN, ArrowRight: width / PAN }[pressed];
    return by === undefined ? false : this.zoomWithin(from + by, to + by, whole);
  }

  /** Not beyond what there is: a range as wide as the whole is no zoom. */
  zoomWithin(from, to, [least, greatest]) {
    const over = Math.max(least - from, 0) - Math.max(to - greatest, 0);
    if (to - from >= greatest - least) this.reset();
    else this.zoom(from + over, to + over);
    return true;
  }

  /** The address that draws `keys` large, looked at as here. */
  large(keys) {
    const url = new URL(location.href);
    url.pathname = new URL(this.page, location.href).pathname;
    for (const name of ["series", "q", "order", "pin"]) url.searchParams.delete(name);
    keys.forEach((key) => url.searchParams.append("series", key));
    return url.pathname + url.search;
  }
}

/** Of a text that somebody may have typed: 0 is no smoothing. */
function weight(text) {
  const number = Number(text);
  return number > 0 && number < 1 ? number : 0;
}

/** The row of `rows` that is nearest to an x, or null. */
export function nearest(rows, axis, x) {
  const columns = rows[axis];
  if (!columns.length) return null;
  let low = 0;
  let high = columns.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (columns[middle] <= x) low = middle;
    else high = middle;
  }
  return Math.abs(columns[low] - x) <= Math.abs(columns[high] - x) ? low : high;
}

/** What a row says, in words. */
export function told(rows, at, clock = false) {
  const band = rows.count[at] > 1 ? ` (${value(rows.min[at])} to ${value(rows.max[at])}, ${count(rows.count[at])} points)` : "";
  const smooth = rows.smoothed ? `, smoothed ${value(rows.smoothed[at])}` : "";
  return `${clock ? "" : "step "}${stepped(rows.step[at], clock)}: ${value(rows.mean[at])}${band}${smooth}`;
}
