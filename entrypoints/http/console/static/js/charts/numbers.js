// Numbers as people read them.
const whole = new Intl.NumberFormat("en-US");

/** `12,345`. */
export const count = (value) => whole.format(value);

/** Six significant digits, in the shortest form. */
export function value(number) {
  if (number === null || number === undefined) return "unknown";
  if (Number.isInteger(number) && Math.abs(number) < 1e9) return count(number);
  const shown = Number(number.toPrecision(6));
  return Math.abs(shown) >= 1e9 || (shown !== 0 && Math.abs(shown) < 1e-4) ? shown.toExponential() : String(shown);
}

/** As the job declared it: a ratio is 0 to 1, a percentage is 0 to 100 already; what nobody declared is a number. */
export function measured(number, descriptor) {
  if (number === null || number === undefined) return "unknown";
  const { display, unit } = descriptor ?? {};
  if (display === "percent") return `${value(number)} %`;
  if (display === "ratio") return `${value(number)} = ${value(Number((100 * number).toPrecision(4)))} %`;
  return unit ? `${value(number)} ${unit}` : value(number);
}

/** Which way is better, where the job said so. */
export function direction(descriptor) {
  return { higher: "↑ better", lower: "↓ better" }[descriptor?.direction] ?? "";
}

/** `3 NaN, 1 +∞`; empty where every value was finite. */
export function invalids(invalid) {
  const kinds = [["NaN", invalid.nan], ["+∞", invalid.pos_inf], ["−∞", invalid.neg_inf]];
  return kinds.filter(([, many]) => many).map(([name, many]) => `${count(many)} ${name}`).join(", ");
}

const moments = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** A step; where the steps are those of a clock, microseconds since the epoch, its moment. */
export const stepped = (step, clock) => (clock ? moments.format(new Date(step / 1000)) : count(step));

/** What a chart shows, in a sentence, for those who do not see it. */
export function summary(series, rows, clock = false) {
  const lost = invalids(series.invalid);
  const noun = clock ? "sample" : "step";
  const parts = [`${series.key}: ${count(series.count)} ${series.count === 1 ? noun : `${noun}s`}`];
  if (series.count) {
    parts.push(
      `${noun}s ${stepped(series.first_step, clock)} to ${stepped(series.last_step, clock)}`,
      `last ${measured(series.last, series.descriptor)}`, `least ${value(series.min)}`, `mean ${value(series.mean)}`, `greatest ${value(series.max)}`,
    );
  }
  if (lost) parts.push(`invalid: ${lost}, first at step ${count(series.invalid.first_step)}`);
  if (rows) parts.push(rows.exact ? "every point is drawn" : `drawn as ${count(rows.step.length)} buckets of points`);
  return `${parts.join(", ")}.`;
}
