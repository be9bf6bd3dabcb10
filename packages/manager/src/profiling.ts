import type { ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { getHeapSnapshot } from "node:v8";
import type { Clock } from "@kubewright/clock";
import type { HttpHandler } from "./http-server.ts";
import type { RequestAuthenticator } from "./request-authenticator.ts";

interface ProfilingHandlerOptions {
  readonly clock: Clock;
  readonly authenticator?: RequestAuthenticator | undefined;
}

const path = "/debug/pprof/";
const index = `profile: CPU profile, as .cpuprofile (?seconds=30)
heap: heap snapshot, as .heapsnapshot; blocks the process
`;
const maxSeconds = 300;

/**
 * Returns a handler that serves profiles in Node's own formats, under the same paths as upstream:
 * `/debug/pprof/profile` and `/debug/pprof/heap`.
 *
 * @see controller-runtime pkg/manager addPprofServer
 */
export function profilingHandler({ clock, authenticator }: ProfilingHandlerOptions): HttpHandler {
  return async (request, response, url) => {
    const admission = await authenticator?.admit(request, url.pathname);
    if (admission && admission.status !== 200) return answer(response, admission.status, `${admission.message}\n`);
    switch (url.pathname) {
      case path:
        return answer(response, 200, index);
      case `${path}profile`:
        return profile(response, url, clock);
      case `${path}heap`:
        return heap(response);
      default:
        return answer(response, 404, "404 page not found\n");
    }
  };
}

async function heap(response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": "application/json" });
  await pipeline(getHeapSnapshot(), response).catch((error: unknown) => {
    if (!response.destroyed) throw error; // otherwise, the client disconnected
  });
}

async function profile(response: ServerResponse, url: URL, clock: Clock): Promise<void> {
  const seconds = Number(url.searchParams.get("seconds") ?? 30);
  if (!(seconds > 0 && seconds <= maxSeconds))
    return answer(response, 400, `seconds must be above 0 and at most ${maxSeconds}\n`);
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const text = await cpuProfile(clock, seconds * 1_000, gone.signal);
  if (text === undefined) return answer(response, 409, "another profile is already being taken\n");
  response.writeHead(200, { "content-type": "application/json" }).end(text);
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" });
  response.end(text);
}

let isRunning = false;

/** Returns a CPU profile of the process in `.cpuprofile` format; `undefined` if another profile is already being taken. */
async function cpuProfile(clock: Clock, ms: number, signal: AbortSignal): Promise<string | undefined> {
  if (isRunning) return undefined;
  isRunning = true;
  const { Session } = await import("node:inspector/promises");
  const session = new Session();
  try {
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.start");
    await clock.sleep(ms, signal);
    const { profile } = await session.post("Profiler.stop");
    return JSON.stringify(profile);
  } finally {
    session.disconnect();
    isRunning = false;
  }
}
