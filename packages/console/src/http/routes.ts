import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpHandler } from "@kubewright/manager";
import type { Assets } from "../assets/assets.ts";
import type { ConsoleData } from "../data/console-data.ts";
import { refusalOf } from "../security/addressed.ts";
import type { Gate, Viewer } from "../security/gate.ts";
import type { Listening } from "../security/listening.ts";
import type { Sessions } from "../security/sessions.ts";
import { answer, answerJson, refuse } from "./answers.ts";
import { bodyText } from "./body-text.ts";
import type { EventStreams } from "./event-streams.ts";

const basePath = "/debug/kubewright/v1/";

export interface RoutesOptions {
  readonly listening: Listening;
  readonly hosts: readonly string[];
  readonly sessions: Sessions;
  readonly gate: Gate;
  readonly streams: EventStreams;
  readonly data: ConsoleData;
  readonly assets: () => Promise<Assets>;
}

/** So many requests are answered at a time, streams aside. */
const mostInFlight = 64;
const longestToken = 200;

/** Who asks what: first whether the request is meant for this console at all, then who asks, then what for. */
export function routes(options: RoutesOptions): HttpHandler {
  let inFlight = 0;
  return async (request, response, url) => {
    const refusal = refusalOf(request, options.listening, options.hosts);
    if (refusal !== undefined) return refuse(response, 403, refusal);
    if (inFlight >= mostInFlight) return refuse(response, 503, "too many requests at a time", { "retry-after": "1" });
    inFlight++;
    try {
      await route(options, request, response, url);
    } finally {
      inFlight--;
    }
  };
}

async function route(
  options: RoutesOptions,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const { pathname } = url;
  if (pathname === `${basePath}session`) return exchangeToken(options, request, response);
  if (request.method !== "GET") return refuse(response, 405, "only GET is answered here", { allow: "GET" });
  if (!pathname.startsWith(basePath)) return asset(options, response, pathname);
  const entry = await options.gate.enter(request, pathname);
  if (entry.status !== 200) return refuse(response, entry.status, entry.message);
  if (pathname === `${basePath}stream`) {
    if (!options.streams.open(response)) refuse(response, 503, "too many listen already", { "retry-after": "5" });
    return;
  }
  await answerData(options, entry.viewer, response, url);
}

async function answerData({ data }: RoutesOptions, viewer: Viewer, response: ServerResponse, url: URL): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const signal = gone.signal;
  const segments = url.pathname.slice(basePath.length).split("/").map(decoded);
  const found = await data.answer(segments, url.searchParams, { viewer, signal });
  if (response.destroyed) return;
  if (!found) return refuse(response, 404, "there is nothing here");
  if ("refused" in found) return refuse(response, found.refused, found.message);
  answerJson(response, found.value);
}

async function asset({ assets }: RoutesOptions, response: ServerResponse, path: string): Promise<void> {
  const found = (await assets()).get(path);
  if (!found) return refuse(response, 404, "there is nothing here");
  answer(response, 200, found.type, found.body);
}

async function exchangeToken(
  { listening, sessions }: RoutesOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!listening.isLoopback) return refuse(response, 404, "here a bearer token is asked for");
  if (request.method !== "POST") return refuse(response, 405, "only POST is answered here", { allow: "POST" });
  const token = await bodyText(request, longestToken);
  const session = token === undefined ? undefined : sessions.exchange(token);
  if (!session)
    return refuse(response, 401, "the token is not valid, was used before, or is too old; open a new address");
  answerJson(response, { session });
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
