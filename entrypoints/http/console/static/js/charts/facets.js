// What source-specific validation keys say of themselves, as filters: dataset, core or aux, sampling count.
import { element } from "../elements.js";
import { asked, keep } from "./kept.js";

const FACETS = [["dataset", "Dataset"], ["group", "Group"], ["sampling_count", "Samples"]];

export class Facets {
  /** Into `place`, which stays hidden while no series has any. */
  constructor(place, changed) {
    this.place = place;
    this.chosen = new Map(FACETS.map(([name]) => [name, asked(name) ?? ""]));
    this.values = new Map(FACETS.map(([name]) => [name, new Set()]));
    this.changed = changed;
  }

  /** Takes in what `series` say. */
  add(series) {
    const before = this.size();
    for (const { facets } of series) {
      if (facets) for (const [name, values] of this.values) values.add(String(facets[name]));
    }
    if (this.place && this.size() !== before) this.show();
  }

  size() {
    return [...this.values.values()].reduce((sum, values) => sum + values.size, 0);
  }

  fits({ facets }) {
    return [...this.chosen].every(([name, wanted]) => !wanted || (facets && String(facets[name]) === wanted));
  }

  show() {
    this.place.hidden = false;
    this.place.replaceChildren(...FACETS.map(([name, title]) => {
      const values = [...this.values.get(name)].sort((left, right) => left.localeCompare(right, "en", { numeric: true }));
      const select = element("select", {}, element("option", { value: "", textContent: "all" }));
      select.append(...values.map((value) => element("option", { value, textContent: value })));
      select.value = this.chosen.get(name);
      select.onchange = () => {
        this.chosen.set(name, select.value);
        keep({ [name]: select.value });
        this.changed();
      };
      return element("label", {}, `${title} `, select);
    }));
  }
}
