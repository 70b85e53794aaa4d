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

document.addEventListener("htmx:beforeSwap", (event) => {
  const { requestConfig, serverResponse, target } = event.detail;
  const trigger = requestConfig.triggeringEvent?.type ?? "";
  if (trigger !== "refresh" && !trigger.startsWith("tp-")) return;
  const address = requestConfig.path;
  if (seen.get(address) === serverResponse) event.detail.shouldSwap = false;
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
