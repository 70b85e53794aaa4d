// Questions to this server: their addresses, and answers in JSON.

/** The address with one more parameter. */
export function and(address, name, value) {
  return `${address}${address.includes("?") ? "&" : "?"}${name}=${encodeURIComponent(value)}`;
}

/** The address with parameters, each in the place of what it said there before. */
export function asking(address, questions) {
  const url = new URL(address, location.href);
  for (const [name, given] of Object.entries(questions)) url.searchParams.set(name, given);
  return url;
}

/** What the server answers. Throws an error with its `status` where that is no success. */
export async function json(address, options) {
  const answer = await fetch(address, options);
  if (answer.ok) return answer.json();
  throw Object.assign(new Error(await reason(answer)), { status: answer.status });
}

async function reason(answer) {
  const said = await answer.json().catch(() => null);
  return said?.detail ?? `The server answered ${answer.status}.`;
}
