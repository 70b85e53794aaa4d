// One uPlot of one curve or several: means as lines, least to greatest as a band, what is smoothed as a line of its own.
import { value } from "./numbers.js";

const MARKED_POINTS = 60;
const DIMMED = 0.35;
const BAND = 0.2;
const DASHES = [[], [8, 4], [2, 3], [8, 3, 2, 3], [4, 4], [12, 4], [1, 4], [12, 3, 2, 3, 2, 3]];

const colours = new Map();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => colours.clear());

/** Of a custom property; asking for one has the browser work out styles, so each is asked for once. */
function colour(name) {
  if (!colours.has(name)) colours.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  return colours.get(name);
}

/** The colour of the n-th curve of a chart, and its dashes, so that no colour has to be told apart. */
export const styleOf = (at) => ({ colour: colour(`--curve-${(at % 8) + 1}`), dash: DASHES[at % 8] });

/** How many rows a logarithmic axis cannot show. */
export const hidden = (rows) => rows.mean.reduce((many, one) => many + (one > 0 ? 0 : 1), 0);

const shortSteps = (plot, splits) => splits.map((one) => (one >= 10_000 ? `${value(one / 1000)}k` : value(one)));

/** A colour that the background shows through; `line` is #rrggbb. */
const faint = (line, share) => line + Math.round(share * 255).toString(16).padStart(2, "0");

/** One curve as uPlot takes it: its columns, x first, and the series that they are; the last two may be a band's edges. */
function lines(curve, axis, log) {
  const { rows, line, dash, banded, dimmed } = curve;
  const fit = log ? (one) => (one > 0 ? one : null) : (one) => one;
  const few = rows.step.length <= MARKED_POINTS && !dimmed;
  const columns = [rows[axis], rows.mean.map(fit)];
  const series = [{ stroke: rows.smoothed ? faint(line, DIMMED) : line, dash, width: dimmed ? 1 : 1.5, points: { show: few, size: 4 } }];
  if (rows.smoothed) {
    columns.push(rows.smoothed.map(fit));
    series.push({ stroke: line, dash, width: 2, points: { show: false } });
  }
  if (banded && rows.count.some((one) => one > 1)) {
    const edge = { stroke: "transparent", points: { show: false } };
    columns.push(rows.min.map(fit), rows.max.map(fit));
    series.push(edge, edge);
  }
  return { columns, series };
}

/** Several points at one x, as clocks make them: the last of them. */
function distinct(columns) {
  const [x] = columns;
  const kept = x.map((_, at) => at).filter((at) => at === x.length - 1 || x[at] !== x[at + 1]);
  return kept.length === x.length ? columns : columns.map((one) => kept.map((at) => one[at]));
}

function label(plot, text, x, y, line) {
  const { left, top, width } = plot.bbox;
  const { ctx } = plot;
  const right = x > left + width / 2;
  ctx.save();
  ctx.fillStyle = line;
  ctx.strokeStyle = colour("--pico-card-background-color");
  ctx.lineWidth = 4 * devicePixelRatio;
  ctx.lineJoin = "round";
  ctx.font = `bold ${11 * devicePixelRatio}px sans-serif`;
  ctx.textAlign = right ? "right" : "left";
  const said = [right ? `${text} ` : ` ${text}`, x, Math.max(y, top + 10 * devicePixelRatio)];
  ctx.strokeText(...said);
  ctx.fillText(...said);
  ctx.restore();
}

function markInvalid(plot, step) {
  const x = plot.valToPos(step, "x", true);
  const { left, top, width, height } = plot.bbox;
  if (x < left || x > left + width) return;
  const { ctx } = plot;
  ctx.save();
  ctx.strokeStyle = colour("--bar-failure");
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(x, top);
  ctx.lineTo(x, top + height);
  ctx.stroke();
  ctx.restore();
  label(plot, "invalid", x, top, colour("--bar-failure"));
}

/** The name of a curve beside its last point. */
function markEnd(plot, { rows, name, line }, axis) {
  const at = rows.step.length - 1;
  if (at < 0) return;
  label(plot, name, plot.valToPos(rows[axis][at], "x", true), plot.valToPos(rows.mean[at], "y", true) - 4 * devicePixelRatio, line);
}

/**
 * Draws `curves` into `place`: each {rows, line: its colour, dash, banded, dimmed, name: what to write at its end}. `onZoom` gets the
 * least and greatest x of a drag, `onPoint` the x under the pointer or null.
 */
export function plot(place, curves, { axis, log, invalidStep, onZoom, onPoint, sync }) {
  const made = curves.map((one) => lines(one, axis, log));
  const tables = made.map(({ columns }) => columns);
  const data = tables.length === 1 ? tables[0] : uPlot.join(tables.map(distinct));
  const bands = [];
  let at = 1;
  made.forEach(({ series }, index) => {
    at += series.length;
    const edges = series.filter(({ stroke }) => stroke === "transparent").length;
    if (edges) bands.push({ series: [at - 1, at - 2], fill: faint(curves[index].line, BAND) });
  });
  const strokes = { stroke: colour("--muted"), grid: { stroke: colour("--grid"), width: 1 }, ticks: { show: false } };
  return new uPlot(
    {
      width: place.clientWidth,
      height: place.clientHeight,
      scales: { x: { time: axis === "time" }, y: { distr: log ? 3 : 1 } },
      cursor: { drag: { x: true, y: false, setScale: false }, points: { size: 6 }, sync: { key: sync, setSeries: false } },
      legend: { show: false },
      padding: [6, 8, 0, 0],
      series: [{}, ...made.flatMap(({ series }) => series)],
      bands,
      axes: [
        { ...strokes, size: 22, font: "11px sans-serif", ...(axis === "step" && { values: shortSteps }) },
        { ...strokes, size: 52, font: "11px sans-serif", values: (self, splits) => splits.map((one) => (one === null ? "" : value(one))) },
      ],
      hooks: {
        draw: [
          (self) => {
            if (axis === "step" && invalidStep !== null && invalidStep !== undefined) markInvalid(self, invalidStep);
            curves.filter(({ name }) => name).forEach((one) => markEnd(self, one, axis));
          },
        ],
        setCursor: [(self) => onPoint(self.cursor.left >= 0 && self.cursor.idx !== null ? self.data[0][self.cursor.idx] : null)],
        setSelect: [
          (self) => {
            const { left, width } = self.select;
            if (width < 4) return;
            self.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
            onZoom(self.posToVal(left, "x"), self.posToVal(left + width, "x"));
          },
        ],
      },
    },
    data,
    place,
  );
}
