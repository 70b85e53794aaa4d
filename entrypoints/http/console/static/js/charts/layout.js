// Where headings and charts of a grid stand, without making any of them.

/**
 * `sections`: [{name, keys, closed}]. `sizes`: {width, columns, gap, head, card, tabled} in pixels. `isTabled(key)`: whether
 * a chart shows its table, too. Small groups stand side by side. Answers {height, places: [{section | key, left, top, width,
 * height}]} in order of reading.
 */
export function layout(sections, sizes, isTabled) {
  const { width, columns, gap } = sizes;
  const column = (width - gap * (columns - 1)) / columns;
  const left = (at) => at * (column + gap);
  const span = (many) => many * column + (many - 1) * gap;
  const places = [];
  let top = 0;
  let band = null;

  const close = () => {
    if (band) top = band.bottom;
    band = null;
  };
  const rowOf = (keys, first, y) => {
    const height = keys.some(isTabled) ? sizes.tabled : sizes.card;
    keys.forEach((key, at) => places.push({ key, left: left(first + at), top: y, width: column, height: isTabled(key) ? height : sizes.card }));
    return y + height + gap;
  };

  for (const section of sections) {
    const many = section.closed ? columns : Math.min(section.keys.length, columns);
    if (!band || band.used + many > columns) {
      close();
      band = { used: 0, bottom: top };
    }
    let y = top;
    if (section.name !== null) {
      places.push({ section, left: left(band.used), top: y, width: span(many), height: sizes.head });
      y += sizes.head;
    }
    if (!section.closed) {
      for (let at = 0; at < section.keys.length; at += columns) y = rowOf(section.keys.slice(at, at + columns), band.used, y);
    }
    band.bottom = Math.max(band.bottom, y);
    band.used += many;
  }
  close();
  return { height: top, places };
}

/** Those of `places` that are between two heights. */
export function between(places, from, to) {
  return places.filter((one) => one.top < to && one.top + one.height > from);
}
