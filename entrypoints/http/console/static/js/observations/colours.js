// From the least to the most: lighter to darker on a light page, darker to lighter on a dark one, always in that order.
const NAMES = ["--heat-0", "--heat-1", "--heat-2", "--heat-3", "--heat-4"];
const LEAST = 0.12;

/** Colours of the page as it is now: `of(0)` is the background's neighbour, `of(1)` the fullest. */
export function scale(element) {
  const style = getComputedStyle(element);
  const stops = NAMES.map((name) => channels(style.getPropertyValue(name)));
  return {
    line: style.getPropertyValue("--muted").trim(),
    mark: style.getPropertyValue("--notice-edge").trim(),
    of(share) {
      const place = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
      const at = Math.min(Math.floor(place), stops.length - 2);
      const mixed = stops[at].map((channel, one) => Math.round(channel + (stops[at + 1][one] - channel) * (place - at)));
      return `rgb(${mixed.join(" ")})`;
    },
  };
}

/** What was counted at all is told apart from what was not. */
export const shareOf = (count, fullest) => (count ? LEAST + (1 - LEAST) * (count / fullest) : 0);

function channels(hex) {
  const digits = hex.trim().slice(1);
  return [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16));
}
