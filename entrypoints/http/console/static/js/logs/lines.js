// One line of a log as an element. Text is only ever text, whatever the job printed.
const UNSHOWABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const ERROR = /\b(?:error|exception|traceback|fatal|critical|panic|segmentation fault|out of memory|oom-kill(?:ed)?|killed)\b/i;
const ERROR_CLASS = /\b[A-Z]\w*(?:Error|Exception)\b/;
const NO_ERROR = /\b(?:0|no) errors?\b/i;
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/** A guess from its words, for the eye; it decides nothing. */
export const looksLikeError = (text) => (ERROR.test(text) || ERROR_CLASS.test(text)) && !NO_ERROR.test(text);

/** Marks up a line that the server rendered, or that was just made. */
export function dress(line) {
  line.classList.toggle("error", looksLikeError(line.lastElementChild.textContent));
  line.children[1].textContent = CLOCK.format(new Date(line.dataset.ts));
}

export function lineElement({ n, ts, text, partial }) {
  const line = document.createElement("div");
  line.className = partial ? "line partial" : "line";
  line.dataset.n = n;
  line.dataset.ts = ts;
  const number = document.createElement("span");
  number.className = "n";
  number.textContent = n + 1;
  const time = document.createElement("time");
  time.dateTime = ts;
  time.title = `${ts.slice(0, 10)} ${ts.slice(11, 19)} UTC`;
  const shown = document.createElement("bdi");
  shown.className = "text";
  shown.textContent = text.replace(UNSHOWABLE, "\ufffd");
  line.append(number, time, shown);
  dress(line);
  return line;
}
