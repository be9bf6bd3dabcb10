import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "@kubewright/clock";
import type { HttpHandler } from "@kubewright/manager";
import type { Assets } from "../assets/assets.ts";
import type { ConsoleData } from "../data/console-data.ts";
import { refusalOf } from "../security/addressed.ts";
import { type Gate, type Viewer, viewerId } from "../security/gate.ts";
import type { Listening } from "../security/listening.ts";
import { type Sessions, sessionHeader } from "../security/sessions.ts";
import { bodyText } from "./body-text.ts";
import type { EventStreams } from "./event-streams.ts";
import { refuse, respond, respondJson } from "./responses.ts";

const basePath = "/debug/kubewright/v1/";

export interface RoutesOptions {
  readonly listening: Listening;
  readonly hosts: readonly string[];
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly streams: EventStreams;
  readonly data: ConsoleData;
  readonly assets: () => Promise<Assets>;
  /** Returns the recorded reconciles, as the contents of a file. Undefined if nothing is recorded. */
  readonly recording: () => Buffer | undefined;
  readonly links: Links;
}

/** Addresses that admit a browser. */
interface Links {
  readonly newUrl: () => string;
  /** Prints a string in the program's terminal. Absent if there is no terminal. */
  readonly print?: ((text: string) => void) | undefined;
  /** Time in monotonic milliseconds after which an address may be printed again. */
  nextMs: number;
}

/** Maximum number of concurrent requests from all admitted viewers together, and from each viewer. Streams do not count. */
const maxInFlight = { all: 64, each: 16 };
const longestToken = 200;
/**
 * Minimum time between two addresses that are printed for browsers without a session. Fewer of them than {@link Sessions} remembers are
 * valid at a time, so that nobody can make other addresses invalid by requesting more.
 */
const printMs = 60_000;

/**
 * Returns the handler for requests: it checks that a request is intended for this console, authenticates the viewer,
 * and serves the data.
 */
export function routes(options: RoutesOptions): HttpHandler {
  const inFlight = new InFlight();
  return async (request, response, url) => {
    const refusal = refusalOf(request, options.listening, options.hosts);
    if (refusal !== undefined) return refuse(response, 403, refusal);
    const { pathname } = url;
    if (pathname === `${basePath}session`) return exchangeToken(options, request, response);
    if (pathname === `${basePath}link`) return newLink(options, request, response);
    const isPost = request.method === "POST";
    const isAction = isPost && pathname.startsWith(`${basePath}actions/`);
    const hasText = isPost && pathname.startsWith(`${basePath}panels/`);
    if (request.method !== "GET" && !isAction && !hasText)
      return refuse(response, 405, "only GET is allowed", { allow: "GET" });
    if (!pathname.startsWith(basePath)) return asset(options, response, pathname);
    // The text of a form changes nothing, so it requires the same permission as a request without a text.
    const entry = await options.gate.enter(request, pathname, hasText ? "get" : undefined);
    if (entry.status !== 200) return refuse(response, entry.status, entry.message);
    const viewer = viewerId(entry.viewer);
    if (pathname === `${basePath}stream`) {
      const mayStay = async () => (await options.gate.enter(request, pathname)).status;
      if (!options.streams.open(response, { viewer, mayStay }))
        refuse(response, 503, "too many open streams", { "retry-after": "5" });
      return;
    }
    if (pathname === `${basePath}recording`) return respondRecording(options, entry.viewer, response);
    if (!inFlight.begin(viewer)) return refuse(response, 503, "too many concurrent requests", { "retry-after": "1" });
    try {
      if (isAction) await respondAction(options, entry.viewer, response, url);
      else if (hasText) await respondToText(options, entry.viewer, request, response, url);
      else await respondData(options, entry.viewer, response, url);
    } finally {
      inFlight.end(viewer);
    }
  };
}

/** Counts the concurrent requests of each viewer. */
class InFlight {
  #all = 0;
  readonly #byViewer = new Map<string, number>();

  begin(viewer: string): boolean {
    const own = this.#byViewer.get(viewer) ?? 0;
    if (this.#all >= maxInFlight.all || own >= maxInFlight.each) return false;
    this.#all++;
    this.#byViewer.set(viewer, own + 1);
    return true;
  }

  end(viewer: string): void {
    this.#all--;
    const left = (this.#byViewer.get(viewer) ?? 0) - 1;
    if (left > 0) this.#byViewer.set(viewer, left);
    else this.#byViewer.delete(viewer);
  }
}

async function respondAction(
  { data }: RoutesOptions,
  viewer: Viewer,
  response: ServerResponse,
  { pathname, searchParams }: URL,
): Promise<void> {
  const [, name = "", ...more] = pathname.slice(basePath.length).split("/").map(decoded);
  if (more.length > 0) return refuse(response, 404, "not found");
  const found = await data.act(name, searchParams.get("do") ?? "", searchParams.get("key") ?? "", viewer);
  if ("refused" in found) return refuse(response, found.refused, found.message);
  respondJson(response, found.value);
}

/**
 * Creates an address that admits another browser. A signed-in browser receives it. For any other browser, it is printed in the program's
 * terminal, which proves that the person at the browser also runs the program.
 */
async function newLink(options: RoutesOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { listening, sessions, clock, links } = options;
  if (!listening.isLoopback) return refuse(response, 404, "this console requires a bearer token");
  if (request.method !== "POST") return refuse(response, 405, "only POST is allowed", { allow: "POST" });
  if (sessions.find(request.headers[sessionHeader])) return respondJson(response, { url: links.newUrl() });
  if (!links.print) return refuse(response, 404, "the program has no terminal in which to print an address");
  if (clock.monotonic() < links.nextMs)
    return refuse(response, 429, "an address was printed less than a minute ago; it is still valid");
  links.nextMs = clock.monotonic() + printMs;
  links.print(`open this address to sign in to the console; it works once: ${links.newUrl()}\n`);
  respondJson(response, { isPrinted: true });
}

/** Responds to the text of a panel's form. The text is limited before it is read. */
async function respondToText(
  options: RoutesOptions,
  viewer: Viewer,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const maxBytes = options.data.maxTextBytes(decoded(url.pathname.slice(`${basePath}panels/`.length)));
  if (maxBytes === undefined) return refuse(response, 405, "only GET is allowed", { allow: "GET" });
  const text = await bodyText(request, maxBytes, options.clock);
  if (text === undefined)
    return refuse(response, 413, `the text is longer than ${maxBytes} bytes, or did not arrive within 5 seconds`);
  return respondData(options, viewer, response, url, text);
}

async function respondData(
  { data }: RoutesOptions,
  viewer: Viewer,
  response: ServerResponse,
  url: URL,
  text?: string,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const signal = gone.signal;
  const segments = url.pathname.slice(basePath.length).split("/").map(decoded);
  const found = await data.answer(segments, url.searchParams, { viewer, signal, text });
  if (response.destroyed) return;
  if (!found) return refuse(response, 404, "not found");
  if ("refused" in found) return refuse(response, found.refused, found.message);
  respondJson(response, found.value);
}

/**
 * Responds with the recorded reconciles. They contain objects of all kinds that the reconcilers read, so only local viewers, who could also
 * read the program's memory, receive them.
 */
function respondRecording({ recording }: RoutesOptions, viewer: Viewer, response: ServerResponse): void {
  const isLocal = viewer.type === "local";
  const bytes = isLocal ? recording() : undefined;
  if (bytes) {
    const file = 'attachment; filename="recording.kwr"';
    respond(response, 200, "application/gzip", bytes, { "content-disposition": file });
  } else if (isLocal) refuse(response, 404, "nothing is being recorded; set the manager's option `recorder`");
  else refuse(response, 403, "only viewers on the program's own machine may save recordings; send SIGUSR2 instead");
}

async function asset({ assets }: RoutesOptions, response: ServerResponse, path: string): Promise<void> {
  const found = (await assets()).get(path);
  if (!found) return refuse(response, 404, "not found");
  respond(response, 200, found.type, found.body);
}

async function exchangeToken(
  { listening, sessions, clock }: RoutesOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!listening.isLoopback) return refuse(response, 404, "this console requires a bearer token");
  if (request.method !== "POST") return refuse(response, 405, "only POST is allowed", { allow: "POST" });
  const token = await bodyText(request, longestToken, clock);
  const session = token === undefined ? undefined : sessions.exchange(token.trim());
  if (!session)
    return refuse(response, 401, "the token is not valid, was already used, or has expired; open a new address");
  respondJson(response, { session });
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
