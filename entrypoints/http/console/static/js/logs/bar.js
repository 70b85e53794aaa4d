// What the controls above a log do.
import { copied } from "../copied.js";

const pad = (number) => String(number).padStart(2, "0");

/** `2026-01-31T12:00:00` in the reader's zone as the same moment in UTC. */
function inUtc(local) {
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? local : time.toISOString();
}

/** The reader's zone, as `UTC+9` or `UTC-3:30`. */
function zone() {
  const minutes = -new Date().getTimezoneOffset();
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return minutes ? `UTC${minutes > 0 ? "+" : "−"}${hours}${rest ? `:${pad(rest)}` : ""}` : "UTC";
}

export function bar(log) {
  const part = (name) => log.querySelector(`[name="${name}"]`);
  const panel = log.querySelector(".whole");
  log.followButton.onclick = () => log.follow(!log.following);
  part("times").onchange = (event) => log.classList.toggle("times", event.target.checked);
  part("wrap").onchange = (event) => log.classList.toggle("wrapped", event.target.checked);

  const wanted = part("q");
  wanted.oninput = () => log.find.search(wanted.value);
  wanted.onkeydown = (event) => {
    if (event.key !== "Enter" || !log.find.hits?.length) return;
    event.preventDefault();
    log.goTo(log.find.go(event.shiftKey ? -1 : 1));
  };
  part("next").onclick = () => log.goTo(log.find.go(1));
  part("previous").onclick = () => log.goTo(log.find.go(-1));
  if (wanted.value) log.find.search(wanted.value);

  log.querySelector("form.search").addEventListener("submit", () => open(true));
  part("close").onclick = () => open(false);
  function open(shown) {
    panel.hidden = !shown;
    log.fit();
  }

  part("first-error").onclick = () => log.asking(() => error(0));
  part("next-error").onclick = () => log.asking(() => error(behindMark()));
  function behindMark() {
    const marked = log.place.querySelector(".line.marked");
    return marked ? Number(marked.dataset.n) + 1 : 0;
  }
  async function error(first) {
    const n = await log.places.error(first, log.say);
    if (n === null) return log.say(first ? "No later line looks like an error." : "No line looks like an error.");
    log.say(`Line ${(n + 1).toLocaleString()} looks like an error.`);
    await log.open(n);
  }

  const time = part("at");
  log.querySelector(".goto .zone").textContent = zone();
  log.querySelector("form.goto").onsubmit = (event) => {
    event.preventDefault();
    const address = new URL(event.target.action);
    for (const [name, given] of new FormData(event.target)) if (given) address.searchParams.set(name, given);
    if (time.value) address.searchParams.set("at", inUtc(time.value));
    location.assign(address);
  };

  log.addEventListener("click", (event) => {
    const link = event.target.closest("a.n, a.more, a[data-line]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (link.matches(".more")) log.asking(() => log.showWhole(link));
    else if (link.matches(".n")) copy(link);
    else log.asking(() => log.open(Number(link.dataset.line)));
  });
  async function copy(link) {
    const line = link.closest(".line");
    log.setFollowing(false);
    log.mark(line);
    const name = `Line ${(Number(line.dataset.n) + 1).toLocaleString()}`;
    const done = await copied(link.href);
    log.say(done ? `${name}: its link was copied.` : `${name}: its link is the address of this page now.`);
  }
}
