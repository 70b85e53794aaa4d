// Which message a reader is at: in one text, or in two at the same number.
const ARRIVAL = "tp-message";

/** Over the end of a page: the next one opens at its first message, or its last. */
export const leave = (end) => sessionStorage.setItem(ARRIVAL, end);

export class Places {
  constructor(root) {
    this.root = root;
    this.at = null;
    this.arrive();
  }

  /** Numbers in order; results that stand with their calls come when it is their turn. */
  numbers() {
    const found = [...this.root.querySelectorAll("[data-number]")].map((one) => Number(one.dataset.number));
    return [...new Set(found)].sort((a, b) => a - b);
  }

  /** One message on, or back; false at the end. */
  go(by) {
    const numbers = this.numbers();
    if (!numbers.length) return false;
    const next = this.at === null ? (by > 0 ? numbers[0] : numbers.at(-1)) : this.beyond(numbers, by);
    if (next === undefined) return false;
    this.showNumber(next);
    return true;
  }

  beyond(numbers, by) {
    return by > 0 ? numbers.find((one) => one > this.at) : numbers.findLast((one) => one < this.at);
  }

  showNumber(number) {
    const found = [...this.root.querySelectorAll(`[data-number="${number}"]`)];
    found.reverse().forEach((one) => this.show(one));
  }

  show(message) {
    this.at = Number(message.dataset.number);
    for (const one of this.root.querySelectorAll(".now")) if (Number(one.dataset.number) !== this.at) one.classList.remove("now");
    message.classList.add("now");
    // A result is seen only where its call is open.
    const fold = message.parentElement.closest("details.tool");
    if (fold) fold.open = true;
    message.focus({ preventScroll: true });
    message.scrollIntoView({ block: "start" });
    history.replaceState(history.state, "", `#${message.id}`);
  }

  toggle() {
    const found = this.root.querySelectorAll(`[data-number="${this.at}"] details`);
    const open = [...found].some((one) => !one.open);
    for (const one of found) one.open = open;
  }

  /** The page before was left over its end. */
  arrive() {
    const end = sessionStorage.getItem(ARRIVAL);
    sessionStorage.removeItem(ARRIVAL);
    const numbers = end ? this.numbers() : [];
    if (numbers.length) this.showNumber(end === "last" ? numbers.at(-1) : numbers[0]);
  }
}
