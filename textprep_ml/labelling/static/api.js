// What the page asks of the server. Addresses are relative, so the token in the path goes along.

export class Problem extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function answer(response) {
  if (response.ok) return response.json();
  let message = response.statusText;
  try {
    message = (await response.json()).problem;
  } catch {
    // not from the application itself: the status has to do
  }
  throw new Problem(response.status, message);
}

export async function get(path, query = {}) {
  return answer(await fetch(`api/${path}?${new URLSearchParams(query)}`));
}

export async function post(path, value = {}) {
  return answer(
    await fetch(`api/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(value),
    }),
  );
}

export function listen(handlers) {
  const source = new EventSource("api/events");
  for (const [kind, handle] of Object.entries(handlers)) {
    source.addEventListener(kind, (event) => handle(event.data ? JSON.parse(event.data) : null));
  }
  return source;
}
