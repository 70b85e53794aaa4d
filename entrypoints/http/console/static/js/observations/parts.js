// Pieces of the picture of a histogram.
import { element } from "../elements.js";

export const NUMBER = new Intl.NumberFormat("en", { maximumFractionDigits: 6 });
const ROWS_A_FRAME = 24;

export function placeOf(report, attempts) {
  const step = report.step === null ? "no step" : `step ${NUMBER.format(report.step)}`;
  return attempts > 1 ? `${step}, attempt ${report.attempt}` : step;
}

export function saidOf(report, attempts) {
  const policy = report.policy_version === null ? "unknown" : NUMBER.format(report.policy_version);
  return `${placeOf(report, attempts)}: ${NUMBER.format(report.total)} counted, policy version ${policy}`;
}

/** A bar for each interval of one report, the highest interval first, as in the picture beside it. */
export function bars(report, intervals) {
  const most = Math.max(1, ...report.counts);
  const rows = intervals.map((interval, at) => {
    const count = report.counts[at];
    const meter = element("meter", { max: most, value: count, ariaLabel: `${interval}: ${NUMBER.format(count)}` });
    return element("tr", {}, element("th", { scope: "row" }, interval), element("td", {}, NUMBER.format(count)), element("td", {}, meter));
  });
  return element("table", {}, element("tbody", {}, ...rows.reverse()));
}

/** The same numbers, a row for each report; made a few rows a frame, so that a long table holds nothing up. */
export function numbers(reports, intervals, attempts) {
  const head = ["report", "policy version", ...intervals].map((text) => element("th", { scope: "col" }, text));
  const body = element("tbody");
  const table = element("table", {}, element("thead", {}, element("tr", {}, ...head)), body);
  let at = 0;
  const more = () => {
    const some = reports.slice(at, at + ROWS_A_FRAME);
    at += some.length;
    body.append(...some.map((report) => numbersOf(report, attempts)));
    if (at < reports.length) requestAnimationFrame(more);
  };
  more();
  return table;
}

function numbersOf(report, attempts) {
  const policy = report.policy_version === null ? "unknown" : NUMBER.format(report.policy_version);
  const cells = [policy, ...report.counts.map((count) => NUMBER.format(count))].map((text) => element("td", {}, text));
  return element("tr", {}, element("th", { scope: "row" }, placeOf(report, attempts)), ...cells);
}
