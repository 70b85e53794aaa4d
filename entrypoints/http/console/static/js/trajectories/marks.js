// Marks what was searched in the messages of the page, and opens the folds it stands in.
const MOST = 2000;

export function markFound(root) {
  const wanted = root.querySelector("input[name=q]")?.value.toLowerCase() ?? "";
  const ranges = [];
  for (const text of wanted ? root.querySelectorAll("pre.text:not(.preview)") : []) {
    const before = ranges.length;
    collect(text.firstElementChild.firstChild, wanted, ranges);
    if (ranges.length > before) for (let fold = text.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  }
  if (globalThis.Highlight) CSS.highlights.set("searched", new Highlight(...ranges));
}

function collect(node, wanted, ranges) {
  const text = node?.data.toLowerCase() ?? "";
  // Lower case of some letters is longer than they are; such texts are opened without a mark.
  if (text.length !== node?.data.length) return;
  for (let from = text.indexOf(wanted); from >= 0 && ranges.length < MOST; from = text.indexOf(wanted, from + wanted.length)) {
    const range = new Range();
    range.setStart(node, from);
    range.setEnd(node, from + wanted.length);
    ranges.push(range);
  }
}
