// <tp-poll seconds=…>: asks htmx for fresh content while somebody looks. What did not change is not swapped, so that
// selections, focus and open details stay.
const seen = new Map();
// What is renewed keeps its details as the reader left them.
let open = [];

class Poll extends HTMLElement {
  connectedCallback() {
    this.timer = setInterval(() => {
      if (!document.hidden) this.dispatchEvent(new CustomEvent("refresh"));
    }, Number(this.getAttribute("seconds")) * 1000);
  }

  disconnectedCallback() {
    clearInterval(this.timer);
  }
}

customElements.define("tp-poll", Poll);

// What the reader asked for and what has not come yet, by who asked: a refresh that took them away would lose it.
const awaited = new Map();

function refreshes(request) {
  const trigger = request.triggeringEvent?.type ?? "";
  return trigger === "refresh" || trigger.startsWith("tp-");
}

document.addEventListener("htmx:beforeRequest", (event) => {
  const { elt, requestConfig } = event.detail;
  if (!refreshes(requestConfig)) awaited.set(requestConfig, elt);
});

document.addEventListener("htmx:afterRequest", (event) => awaited.delete(event.detail.requestConfig));

document.addEventListener("htmx:beforeSwap", (event) => {
  const { requestConfig, serverResponse, target } = event.detail;
  if (!refreshes(requestConfig)) return;
  const address = requestConfig.path;
  const inTheWay = [...awaited.values()].some((elt) => target.contains(elt));
  if (inTheWay || seen.get(address) === serverResponse) event.detail.shouldSwap = false;
  else seen.set(address, serverResponse);
  open = [...target.querySelectorAll("details[open][id]")].map((one) => one.id);
});

document.addEventListener("htmx:afterSettle", () => {
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
  open = [];
});

document.addEventListener("change", (event) => {
  if (event.target.matches("select[data-submit]")) event.target.form.requestSubmit();
});
