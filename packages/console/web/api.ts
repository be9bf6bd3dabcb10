import { signal } from "@preact/signals";
import type { Tick } from "./responses.ts";

const base = "/debug/kubewright/v1/";

/** State of the connection: `in` if this browser is admitted, `out` if it is not, `asking` while this is unknown. */
export const access = signal<"asking" | "in" | "out">("asking");
export const isLive = signal(false);
/** Data of the latest tick. */
export const tick = signal<Tick | undefined>(undefined);
/** Bearer token of the user, kept only in memory. */
let bearer: string | undefined;
/** Name of the header and storage key of the session. Storage belongs to one origin, so other ports cannot read it. */
const sessionHeader = "kubewright-session";

/** Time without an update after which the program counts as gone. The program sends an update each second. */
const silentMs = 6_000;

/** Thrown if the server responds with an error. */
export class Refused extends Error {
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

/** Requests data from the server. @throws {Refused} if the server responds with an error */
export async function get<T>(path: string, signal: AbortSignal): Promise<T> {
  return answerOf<T>(await fetch(base + path, { headers: headers(), signal }));
}

/** Sends an action or a text to the server. @throws {Refused} if the server responds with an error */
export async function post<T>(path: string, body?: string): Promise<T> {
  return answerOf<T>(
    await fetch(base + path, { method: "POST", headers: headers(), ...(body === undefined ? {} : { body }) }),
  );
}

/** Lets the browser save data of the server as a file. @throws {Refused} if the server responds with an error */
export async function save(path: string, file: string): Promise<void> {
  const response = await fetch(base + path, { headers: headers() });
  if (!response.ok) return answerOf(response);
  const url = URL.createObjectURL(await response.blob());
  Object.assign(document.createElement("a"), { href: url, download: file }).click();
  URL.revokeObjectURL(url);
}

async function answerOf<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  if (response.status === 401) access.value = "out";
  throw new Refused(response.status, messageOf(text) || `the program responded with status ${response.status}`);
}

function messageOf(text: string): string {
  try {
    return String(JSON.parse(text).message ?? "");
  } catch {
    return text.slice(0, 200); // for example, from a proxy
  }
}

/**
 * Signs in with the one-time token (`#t=`) or the bearer token (`#b=`) in the address, and removes it from the address and from the
 * browser's history.
 */
export async function enter(): Promise<void> {
  const [, kind, token] = /^#([tb])=([\w.~+/=-]+)$/.exec(location.hash) ?? [];
  if (!token) return;
  history.replaceState(null, "", "/#/overview");
  dispatchEvent(new Event("hashchange")); // replaceState does not emit this event
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

/** Receives updates until the signal aborts. Reconnects when the connection ends. */
export async function listen(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await hear(signal).catch(() => {}); // if the connection ends, the loop below reconnects
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
  let silence = setTimeout(gone, silentMs);
  for (const reader = response.body.pipeThrough(new TextDecoderStream()).getReader(); ; ) {
    const { done, value } = await reader.read();
    clearTimeout(silence);
    if (done) return;
    silence = setTimeout(gone, silentMs);
    isLive.value = true;
    text += value;
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    const data = events.at(-1)?.match(/^data: (.*)$/m)?.[1];
    if (data) tick.value = JSON.parse(data);
  }
}

/** Marks the program as gone, although the connection still exists. */
function gone(): void {
  isLive.value = false;
}
