// In which order series stand, and in which groups.
const byText = (left, right) => (left < right ? -1 : left > right ? 1 : 0);
const byNumber = (of) => (left, right) => (of(right) ?? -1) - (of(left) ?? -1) || byText(left.key, right.key);

const ORDERS = {
  name: (left, right) => byText(left.key, right.key),
  changed: byNumber(({ change }) => change),
  latest: byNumber(({ last_at }) => (last_at === null ? null : Date.parse(last_at))),
};

const SAID = {
  name: "By name.",
  changed: "Most changed first: |last − first| over the greater of both. That it moved says nothing of better or worse.",
  latest: "Latest first, by the reporter's time of the last point.",
};

export const orderOf = (name) => (Object.hasOwn(ORDERS, name) ? name : "name");
export const saidOf = (order) => SAID[order];
export const sorted = (series, order) => [...series].sort(ORDERS[order]);

const prefixOf = (key) => (key.includes("/") ? key.slice(0, key.indexOf("/")) : "");

/** [{name, title, keys, closed}]: pinned ones first, then by prefix; groups in the order of their first series, or by name. */
export function sections(keys, order, pins, closed) {
  const pinned = [];
  const groups = new Map();
  for (const key of keys) {
    if (pins?.has(key)) pinned.push(key);
    else {
      const prefix = prefixOf(key);
      if (!groups.has(prefix)) groups.set(prefix, []);
      groups.get(prefix).push(key);
    }
  }
  const made = [...groups].map(([prefix, some]) => ({ name: `/${prefix}`, title: prefix || "without a prefix", keys: some, closed: closed.has(`/${prefix}`) }));
  if (order === "name") made.sort((left, right) => byText(left.title, right.title));
  return pinned.length ? [{ name: "pinned", title: "Pinned", keys: pinned, closed: closed.has("pinned") }, ...made] : made;
}
