// Two ticked jobs are compared. Ticks outlive sorting and turning pages; arrow keys go from tick to tick.
const KEPT = "tuneplane-ticked";
const PAIR = 2;

export class Selection {
  constructor(table) {
    this.table = table;
    this.ids = JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");
    table.addEventListener("change", ({ target }) => target.name === "job" && this.tick(target));
    table.addEventListener("keydown", (event) => this.move(event));
    document.getElementById("compare")?.addEventListener("submit", (event) => this.open(event));
    this.show();
  }

  tick({ value, checked }) {
    this.ids = this.ids.filter((one) => one !== value);
    // A third job takes the place of the one ticked last.
    if (checked) this.ids = [...this.ids.slice(0, PAIR - 1), value];
    sessionStorage.setItem(KEPT, JSON.stringify(this.ids));
    this.show();
  }

  move(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.target.name !== "job") return;
    const ticks = [...this.ticks()];
    ticks[ticks.indexOf(event.target) + step]?.focus();
    event.preventDefault();
  }

  open(event) {
    event.preventDefault();
    if (this.ids.length !== PAIR) return;
    const [left, right] = this.ids;
    sessionStorage.removeItem(KEPT);
    location.assign(`/review?${new URLSearchParams({ left, right })}`);
  }

  ticks() {
    return this.table.querySelectorAll("input[name=job]");
  }

  show() {
    for (const one of this.ticks()) one.checked = this.ids.includes(one.value);
    const output = this.table.querySelector(".compare output");
    const button = this.table.querySelector(".compare button");
    if (!output) return;
    output.textContent = this.ids.length ? `${this.ids.length} of 2 ticked` : "";
    button.disabled = this.ids.length !== PAIR;
  }
}
