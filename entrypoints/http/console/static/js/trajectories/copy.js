// A button beside each message that copies its link.
const SAID_MILLISECONDS = 1500;

export function copyLinks(root) {
  for (const number of root.querySelectorAll(".message header > a.number")) {
    if (number.parentElement.querySelector(".copy")) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "link copy";
    button.textContent = "copy link";
    button.ariaLabel = `Copy the link to message ${number.textContent}`;
    button.onclick = async () => {
      button.textContent = (await copied(number.href)) ? "copied" : "not copied";
      setTimeout(() => (button.textContent = "copy link"), SAID_MILLISECONDS);
    };
    number.parentElement.append(button);
  }
}

/** Browsers give pages without TLS no clipboard; those copy what is selected. */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}
