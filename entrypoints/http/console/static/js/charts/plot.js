// One uPlot: the mean as a line, least to greatest as a band, the first invalid step as a mark.
import { value } from "./numbers.js";

const MARKED_POINTS = 60;

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Columns as uPlot takes them; on a logarithmic axis what is not positive cannot be drawn. */
export function columns(rows, axis, log) {
  const fit = log ? (one) => (one > 0 ? one : null) : (one) => one;
  return [rows[axis], rows.mean.map(fit), rows.min.map(fit), rows.max.map(fit)];
}

/** How many rows a logarithmic axis cannot show. */
export const hidden = (rows) => rows.mean.reduce((many, one) => many + (one > 0 ? 0 : 1), 0);

function ticks(plot, splits) {
  return splits.map((one) => (one === null ? "" : value(one)));
}

function shortSteps(plot, splits) {
  return splits.map((one) => (one >= 10_000 ? `${value(one / 1000)}k` : value(one)));
}

function markInvalid(plot, step) {
  if (step === null || step === undefined) return;
  const x = plot.valToPos(step, "x", true);
  const { left, top, width, height } = plot.bbox;
  if (x < left || x > left + width) return;
  const { ctx } = plot;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colour("--bar-failure");
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(x, top);
  ctx.lineTo(x, top + height);
  ctx.stroke();
  ctx.font = `${11 * devicePixelRatio}px sans-serif`;
  ctx.textAlign = x > left + width / 2 ? "right" : "left";
  ctx.fillText(x > left + width / 2 ? "invalid " : " invalid", x, top + 10 * devicePixelRatio);
  ctx.restore();
}

/** Draws into `place`. `onZoom` gets the least and greatest x of a drag, `onPoint` the row under the pointer or null. */
export function plot(place, rows, { axis, log, invalidStep, onZoom, onPoint, sync }) {
  const line = colour("--line");
  const few = rows.step.length <= MARKED_POINTS;
  const strokes = { stroke: colour("--muted"), grid: { stroke: colour("--grid"), width: 1 }, ticks: { show: false } };
  const edge = { stroke: "transparent", points: { show: false } };
  return new uPlot(
    {
      width: place.clientWidth,
      height: place.clientHeight,
      scales: { x: { time: axis === "time" }, y: { distr: log ? 3 : 1 } },
      cursor: { drag: { x: true, y: false, setScale: false }, points: { size: 6 }, sync: { key: sync, setSeries: false } },
      legend: { show: false },
      padding: [6, 8, 0, 0],
      series: [{}, { stroke: line, width: 1.5, points: { show: few, size: 4 } }, edge, edge],
      bands: [{ series: [3, 2], fill: colour("--band") }],
      axes: [
        { ...strokes, size: 22, font: "11px sans-serif", ...(axis === "step" && { values: shortSteps }) },
        { ...strokes, size: 52, font: "11px sans-serif", values: ticks },
      ],
      hooks: {
        draw: [(made) => axis === "step" && markInvalid(made, invalidStep)],
        setCursor: [(made) => onPoint(made.cursor.idx ?? null)],
        setSelect: [
          (made) => {
            const { left, width } = made.select;
            if (width < 4) return;
            made.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
            onZoom(made.posToVal(left, "x"), made.posToVal(left + width, "x"));
          },
        ],
      },
    },
    columns(rows, axis, log),
    place,
  );
}
