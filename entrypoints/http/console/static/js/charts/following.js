// Reads again what is in view when points come: soon after they came, and no more often than the server can take.
const LEAST_MILLISECONDS = 300;
const TIMES_THE_READING = 3;
const LIST_LEAST_MILLISECONDS = 5000;
const TIMES_THE_LISTING = 20;

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Following {
  /** `read()` reads the charts in view, `list()` what there is; both answer when they are done. */
  constructor(read, list) {
    this.read = read;
    this.list = list;
    this.listedAt = 0;
    this.listing = 0;
    this.onMetrics = () => this.news();
    document.body.addEventListener("tp-metrics", this.onMetrics);
  }

  stop() {
    document.body.removeEventListener("tp-metrics", this.onMetrics);
    clearTimeout(this.due);
  }

  async news() {
    this.fresh = true;
    if (this.running) return;
    this.running = true;
    while (this.fresh) {
      this.fresh = false;
      const began = performance.now();
      await this.read();
      this.listSoon();
      await wait(Math.max(LEAST_MILLISECONDS, TIMES_THE_READING * (performance.now() - began)));
    }
    this.running = false;
  }

  /** Points may have opened a series. */
  listSoon() {
    if (this.due) return;
    const rest = this.listedAt + Math.max(LIST_LEAST_MILLISECONDS, TIMES_THE_LISTING * this.listing) - performance.now();
    this.due = setTimeout(async () => {
      const began = performance.now();
      await this.list();
      this.listedAt = performance.now();
      this.listing = this.listedAt - began;
      this.due = null;
    }, Math.max(0, rest));
  }
}
