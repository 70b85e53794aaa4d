// A heat map: a column for each report, a row for each interval, the lowest interval at the bottom.
import { scale, shareOf } from "./colours.js";

const ROW = 13;
const LEAST_HEIGHT = 60;
const MOST_HEIGHT = 300;

export function heightOf(rows) {
  return Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, rows * ROW));
}

/** The greatest count of a set, or the greatest share of a report where shares are drawn. */
export function fullest(reports, shares) {
  const most = (report) => Math.max(...report.counts) / (shares ? report.total || 1 : 1);
  return Math.max(0, ...reports.map(most)) || 1;
}

export function drawHeat(canvas, { reports, intervals, chosen, shares }) {
  const rows = intervals.length;
  const width = canvas.clientWidth;
  const height = heightOf(rows);
  const sharp = devicePixelRatio || 1;
  canvas.width = Math.round(width * sharp);
  canvas.height = Math.round(height * sharp);
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext("2d");
  pen.scale(sharp, sharp);
  const colours = scale(canvas);
  const most = fullest(reports, shares);
  const [column, row] = [width / reports.length, height / rows];
  reports.forEach((report, at) => {
    const whole = shares ? report.total || 1 : 1;
    report.counts.forEach((count, bucket) => {
      if (!count) return;
      pen.fillStyle = colours.of(shareOf(count / whole, most));
      pen.fillRect(at * column, height - (bucket + 1) * row, Math.ceil(column * sharp) / sharp, Math.ceil(row * sharp) / sharp);
    });
  });
  pen.strokeStyle = colours.line;
  pen.lineWidth = 1;
  pen.strokeRect(0.5, 0.5, width - 1, height - 1);
  pen.strokeStyle = colours.mark;
  pen.lineWidth = 2;
  pen.strokeRect(chosen * column + 1, 1, Math.max(column - 2, 1), height - 2);
}

export function drawScale(canvas) {
  canvas.width = 64;
  canvas.height = 1;
  const pen = canvas.getContext("2d");
  const colours = scale(canvas);
  for (let at = 0; at < 64; at += 1) {
    pen.fillStyle = colours.of(shareOf(Math.max(at, 0.01), 63));
    pen.fillRect(at, 0, 1, 1);
  }
}
