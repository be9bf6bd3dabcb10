import { signal } from "@preact/signals";
import type { Tick } from "./answers.ts";

const base = "/debug/kubewright/v1/";

/** What is known of the connection: whether this browser is let in, and whether it hears of changes. */
export const access = signal<"asking" | "in" | "out">("asking");
export const isLive = signal(false);
/** The newest of what changes by the second. */
export const tick = signal<Tick | undefined>(undefined);
/** Of people who bring their own token: kept in memory alone. */
let bearer: string | undefined;
/** The session of this tab is kept where no other origin, and so no other port, sees it, and is sent by this header to no one else. */
const sessionHeader = "kubewright-session";

/** An answer that is not what was asked for. */
class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function headers(): HeadersInit {
  if (bearer) return { authorization: `Bearer ${bearer}` };
  const session = sessionStorage.getItem(sessionHeader);
  return session ? { [sessionHeader]: session } : {};
}

/** @throws {Refused} */
export async function get<T>(path: string, signal: AbortSignal): Promise<T> {
  const response = await fetch(base + path, { headers: headers(), signal });
  const answer = await response.json();
  if (response.ok) return answer;
  if (response.status === 401) access.value = "out";
  throw new Refused(response.status, String(answer.message ?? response.statusText));
}

/**
 * Exchanges the one-time token of the address (`#t=`), or takes the bearer token that is in it (`#b=`); neither stays in the address or
 * in the history.
 */
export async function enter(): Promise<void> {
  const [, kind, token] = /^#([tb])=([\w.~+/=-]+)$/.exec(location.hash) ?? [];
  if (!token) return;
  history.replaceState(null, "", "/#/overview");
  dispatchEvent(new Event("hashchange")); // which replacing does not tell
  if (kind === "b") bring(token);
  else {
    const answer = await fetch(`${base}session`, { method: "POST", body: token });
    if (answer.ok) sessionStorage.setItem(sessionHeader, (await answer.json()).session);
  }
}

export function bring(token: string): void {
  bearer = token;
  access.value = "asking";
}

/** Hears of changes until the signal aborts; comes again when the connection ends. */
export async function listen(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await hear(signal).catch(() => {}); // the connection ended: tried again below
    isLive.value = false;
    await new Promise((resolve) => setTimeout(resolve, access.value === "out" ? 300 : 1_000));
  }
}

async function hear(signal: AbortSignal): Promise<void> {
  if (access.value === "out") return;
  const response = await fetch(`${base}stream`, { headers: headers(), signal });
  if (response.status === 401 || response.status === 403) access.value = "out";
  if (!response.ok || !response.body) return;
  access.value = "in";
  isLive.value = true;
  let text = "";
  for (const reader = response.body.pipeThrough(new TextDecoderStream()).getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    const data = events.at(-1)?.match(/^data: (.*)$/m)?.[1];
    if (data) tick.value = JSON.parse(data);
  }
}
