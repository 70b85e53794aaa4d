// The plot of one series or several: drawn, read at the crosshair, used by keyboard.
import { nearest } from "./board.js";
import { Forgotten } from "./fetching.js";
import { plot, styleOf } from "./plot.js";

/** Draws at most so many milliseconds a frame, so that scrolling stays smooth. */
const FRAME_MILLISECONDS = 12;
const waiting = new Set();

function drawSome() {
  const end = performance.now() + FRAME_MILLISECONDS;
  for (const one of waiting) {
    waiting.delete(one);
    one.draw();
    if (performance.now() > end) break;
  }
  if (waiting.size) requestAnimationFrame(drawSome);
}

export class Drawing {
  /**
   * In `place`, of `series` (one, or several over each other). `onRead(curves)` hears when they were read or null for a
   * problem, `onPoint(x)` where the crosshair is; `curves` are [{series, rows, earlier}].
   */
  constructor(place, series, board, { onRead, onPoint }) {
    Object.assign(this, { place, series, board, onRead, onPoint });
    place.tabIndex = 0;
    place.setAttribute("role", "group");
    place.ondblclick = () => board.reset();
    place.onkeydown = (event) => this.key(event);
  }

  async load() {
    if (this.loading) return (this.again = true);
    this.loading = true;
    try {
      const read = await Promise.all(this.series.map((one) => this.board.read(one)));
      this.curves = read.map((one, at) => ({ series: this.series[at], ...one }));
      this.drawSoon();
    } catch (problem) {
      if (!(problem instanceof Forgotten)) this.onRead(null, problem);
    }
    this.loading = false;
    if (this.again) {
      this.again = false;
      await this.load();
    }
  }

  drawSoon() {
    if (!waiting.size) requestAnimationFrame(drawSome);
    waiting.add(this);
  }

  /** Whether anything was read that can be drawn. */
  get empty() {
    return !this.curves?.some(({ rows }) => rows?.step.length);
  }

  draw() {
    this.clear();
    if (!this.place.isConnected || !this.curves) return;
    this.onRead(this.curves);
    if (this.empty) return;
    const { axis, log, sync } = this.board;
    const alone = this.curves.length === 1;
    const drawn = this.curves.flatMap(({ rows, earlier }, at) => {
      const { colour, dash } = styleOf(at);
      const past = earlier.map((one) => ({
        rows: { ...one.rows, smoothed: null }, line: styleOf(one.attempt + 1 + at).colour, dash: [3, 3], dimmed: true, name: `attempt ${one.attempt}`,
      }));
      return rows?.step.length ? [{ rows, line: colour, dash, banded: alone }, ...past] : past;
    });
    this.drawn = plot(this.place, drawn, {
      axis, log, sync,
      invalidStep: alone ? this.series[0].invalid.first_step : null,
      onZoom: (from, to) => this.board.zoom(from, to),
      onPoint: (x) => this.onPoint(x),
    });
  }

  /** Where each curve is at an x: [{series, rows, at, earlier: [{attempt, rows, at}]}]; what has no row is left out. */
  at(x) {
    const { axis } = this.board;
    return this.curves.filter(({ rows }) => rows?.step.length).map(({ series, rows, earlier }) => ({
      series, rows,
      at: nearest(rows, axis, x),
      earlier: earlier.filter((one) => one.rows[axis][0] <= x && one.rows[axis].at(-1) >= x).map((one) => ({ ...one, at: nearest(one.rows, axis, x) })),
    }));
  }

  clear() {
    this.drawn?.destroy();
    this.drawn = null;
    this.place.replaceChildren();
  }

  fit() {
    const { clientWidth: width, clientHeight: height } = this.place;
    if (this.drawn && (this.drawn.width !== width || this.drawn.height !== height)) this.drawn.setSize({ width, height });
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.empty) return;
    const of = (one) => one?.[this.board.axis] ?? [];
    const x = this.curves.flatMap(({ rows }) => [of(rows)[0], of(rows).at(-1)]).filter((one) => one !== undefined).sort((a, b) => a - b);
    const whole = this.series.flatMap(({ overview }) => [of(overview)[0], of(overview).at(-1)]).filter((one) => one !== undefined);
    const extent = whole.length ? [Math.min(...whole), Math.max(...whole)] : [x[0], x.at(-1)];
    if (this.board.key(event.key, x, extent)) event.preventDefault();
  }
}
