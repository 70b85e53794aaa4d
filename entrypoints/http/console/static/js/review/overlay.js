// Two curves over one axis of steps; neither colour says better.
import { value } from "../charts/numbers.js";

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const table = (rows) => [rows?.step ?? [], rows?.mean ?? []];

/** A chart in `place`; null where neither side has a point. */
export function drawn(place, left, right) {
  if (!left?.step.length && !right?.step.length) return null;
  const axis = { stroke: colour("--muted"), grid: { stroke: colour("--grid"), width: 1 }, ticks: { show: false }, font: "11px sans-serif" };
  const values = (_, splits) => splits.map((one) => (one === null ? "" : value(one)));
  const line = (stroke, more) => ({ stroke, width: 1.5, spanGaps: true, points: { show: false }, ...more });
  return new uPlot(
    {
      width: place.clientWidth,
      height: place.clientHeight,
      scales: { x: { time: false } },
      legend: { show: false },
      cursor: { drag: { x: false, y: false } },
      padding: [6, 8, 0, 0],
      series: [{}, line(colour("--of-left")), line(colour("--of-right"), { dash: [6, 4] })],
      axes: [{ ...axis, size: 22, values }, { ...axis, size: 52, values }],
    },
    uPlot.join([table(left), table(right)]),
    place,
  );
}
