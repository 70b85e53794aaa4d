// <tp-charts>: all series of a job, grouped by prefix. Only what is in view is fetched and drawn.
import "./chart.js";
import { Fetching, seriesOf } from "./fetching.js";
import { count } from "./numbers.js";

const CHARTS_MILLISECONDS = 1000;
const SERIES_MILLISECONDS = 5000;
const NEAR = "300px 0px";

const prefixOf = (key) => (key.includes("/") ? key.slice(0, key.indexOf("/")) : "");
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

class Charts extends HTMLElement {
  connectedCallback() {
    this.data = this.getAttribute("data");
    this.csv = this.getAttribute("csv");
    this.sync = "charts";
    this.axis = "step";
    this.log = false;
    this.range = null;
    this.fetching = new Fetching(this.data);
    this.charts = new Map();
    this.near = new IntersectionObserver((seen) => this.moved(seen), { rootMargin: NEAR });
    this.resized = new ResizeObserver(() => this.fit());
    queueMicrotask(() => this.start());
  }

  disconnectedCallback() {
    this.near.disconnect();
    this.resized.disconnect();
    document.body.removeEventListener("tp-metrics", this.onMetrics);
  }

  start() {
    this.place = this.querySelector(".grid-of-charts");
    const input = (name) => this.querySelector(`[name="${name}"]`);
    this.searchInput = input("series");
    this.searchInput.oninput = () => this.filter();
    input("axis").onchange = (event) => this.turn(event.target.value);
    input("log").onchange = (event) => {
      this.log = event.target.checked;
      this.redraw();
    };
    this.resetButton = input("reset");
    this.resetButton.onclick = () => this.reset();
    this.zoomOutput = input("zoom");
    this.onMetrics = () => this.news();
    document.body.addEventListener("tp-metrics", this.onMetrics);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
    this.resized.observe(this);
    this.list();
  }

  async list() {
    this.listedAt = performance.now();
    try {
      this.show(await seriesOf(this.getAttribute("series")));
    } catch (problem) {
      if (!this.charts.size) this.place.textContent = `The series could not be read: ${problem.message}`;
    }
  }

  /** Series are only ever added; known ones get their new numbers. */
  show(series) {
    const fresh = series.filter((one) => !this.charts.has(one.key));
    for (const one of series) if (this.charts.has(one.key)) this.charts.get(one.key).series = one;
    if (!fresh.length) return;
    if (!this.charts.size) this.place.replaceChildren();
    for (const one of fresh) {
      const chart = document.createElement("tp-chart");
      chart.dataset.key = one.key;
      chart.prepare(one, this);
      this.charts.set(one.key, chart);
      this.group(prefixOf(one.key)).append(chart);
      this.near.observe(chart);
    }
    this.filter();
  }

  group(prefix) {
    this.groups ??= new Map();
    if (this.groups.has(prefix)) return this.groups.get(prefix);
    const section = document.createElement("section");
    section.className = "group";
    const heading = document.createElement("h2");
    heading.append(Object.assign(document.createElement("bdi"), { textContent: prefix || "without a prefix" }), " ", document.createElement("small"));
    const cards = document.createElement("div");
    section.append(heading, cards);
    const later = [...this.groups].find(([name]) => name > prefix);
    this.place.insertBefore(section, later ? later[1].parentElement : null);
    this.groups.set(prefix, cards);
    this.groups = new Map([...this.groups].sort(([left], [right]) => (left < right ? -1 : 1)));
    return cards;
  }

  filter() {
    const wanted = this.searchInput.value.trim().toLowerCase();
    let shown = 0;
    for (const [key, chart] of this.charts) {
      chart.hidden = Boolean(wanted) && !key.toLowerCase().includes(wanted);
      shown += chart.hidden ? 0 : 1;
    }
    for (const cards of this.groups?.values() ?? []) {
      const many = cards.querySelectorAll(":scope > :not([hidden])").length;
      cards.parentElement.hidden = !many;
      cards.parentElement.dataset.many = many;
      cards.parentElement.querySelector("small").textContent = count(many);
    }
    this.searchInput.placeholder = `${count(this.charts.size)} series`;
    if (wanted || !this.range) this.zoomOutput.textContent = wanted ? `${count(shown)} of ${count(this.charts.size)} series` : "";
  }

  moved(seen) {
    for (const { target, isIntersecting } of seen) {
      if (isIntersecting) target.enter();
      else if (target.inView) target.leave();
    }
  }

  visible() {
    return [...this.charts.values()].filter((chart) => chart.inView && !chart.hidden);
  }

  /** What a chart shows: everything, or the detail of the range that was dragged. */
  async rows(chart) {
    if (!this.range) return (chart.overview = await this.fetching.rows(chart.series.key));
    if (this.axis === "step") return this.fetching.rows(chart.series.key, this.range);
    // Ranges are asked for in steps, so a range of time is looked up in the overview first.
    chart.overview ??= await this.fetching.rows(chart.series.key);
    const steps = chart.overview.step.filter((_, at) => {
      const time = chart.overview.time[at];
      return time >= this.range.from && time <= this.range.to;
    });
    if (!steps.length) return { ...chart.overview, step: [], time: [], min: [], max: [], mean: [], last: [], count: [] };
    const rows = await this.fetching.rows(chart.series.key, { from: Math.min(...steps), to: Math.max(...steps) });
    return byTime(rows);
  }

  zoom(from, to) {
    this.range = this.axis === "step" ? { from: Math.max(0, Math.ceil(from)), to: Math.floor(to) } : { from, to };
    if (this.range.to < this.range.from) this.range.to = this.range.from;
    const shown = (one) => (this.axis === "step" ? count(one) : new Date(one * 1000).toLocaleTimeString());
    this.zoomOutput.textContent = `${this.axis} ${shown(this.range.from)} to ${shown(this.range.to)}`;
    this.resetButton.disabled = false;
    this.renew();
  }

  reset() {
    if (!this.range) return;
    this.range = null;
    this.zoomOutput.textContent = "";
    this.resetButton.disabled = true;
    this.filter();
    this.renew();
  }

  turn(axis) {
    this.axis = axis;
    this.reset();
    this.renew();
  }

  renew() {
    return Promise.all([...this.charts.values()].map((chart) => chart.renew()));
  }

  redraw() {
    for (const chart of this.visible()) if (chart.rows) chart.draw();
  }

  fit() {
    clearTimeout(this.fitting);
    this.fitting = setTimeout(() => {
      for (const chart of this.visible()) {
        const place = chart.plotPlace;
        if (chart.drawn && chart.drawn.width !== place.clientWidth) chart.drawn.setSize({ width: place.clientWidth, height: place.clientHeight });
      }
    }, 150);
  }

  /** Points came: charts in view are read again, at most once a second and never while they are still being read. */
  async news() {
    this.fresh = true;
    if (this.following) return;
    this.following = true;
    while (this.fresh) {
      this.fresh = false;
      if (!this.charts.size || performance.now() - this.listedAt > SERIES_MILLISECONDS) await this.list();
      const charts = this.range ? [] : this.visible();
      await Promise.all(charts.map((chart) => chart.renew()));
      for (const chart of this.charts.values()) if (!chart.inView) chart.stale = true;
      await wait(CHARTS_MILLISECONDS);
    }
    await this.list();
    this.following = false;
    if (this.fresh) this.news();
  }
}

function byTime(rows) {
  const order = rows.time.map((_, at) => at).sort((left, right) => rows.time[left] - rows.time[right]);
  const sorted = { exact: rows.exact };
  for (const name of ["step", "time", "min", "max", "mean", "last", "count"]) sorted[name] = order.map((at) => rows[name][at]);
  return sorted;
}

customElements.define("tp-charts", Charts);
