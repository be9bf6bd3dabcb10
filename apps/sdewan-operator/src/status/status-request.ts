import type { Clock } from "@kubewright/clock";
import type { CnfApi, CnfModule } from "../cnf/cnf-api.ts";
import { codeOf, isConnectionFailure } from "../cnf/cnf-error.ts";
import { notAvailable } from "./cnf-report.ts";

/**
 * Modules of CNFs, in the order in which they are queried: the smallest first, so that large modules do not use up
 * the time for the others.
 */
const moduleNames = ["interface", "ipsec", "route", "rule", "wan", "conntrack"] as const;

/** Thrown if the CNF did not respond in time. */
class TimeoutError extends Error {
  override readonly name = "TimeoutError";
}

/**
 * Queries a CNF's status. If the CNF does not return all modules in one response within half of the time limit, queries each module
 * separately in the remaining time.
 *
 * @throws the reason if the CNF did not report any module in time
 */
export async function requestStatus(api: CnfApi, clock: Clock, timeoutMs: number): Promise<readonly CnfModule[]> {
  const endMs = clock.monotonic() + timeoutMs;
  try {
    return shownModules(await within(clock, timeoutMs / 2, (signal) => api.status(signal)));
  } catch (error) {
    if (!(error instanceof TimeoutError) && isConnectionFailure(error)) throw error;
    const modules = await eachModule(api, clock, endMs);
    if (modules) return modules;
    throw error instanceof TimeoutError
      ? new TimeoutError(`the CNF did not report its status within ${timeoutMs} ms`)
      : error;
  }
}

/** Queries the modules one after another. @returns undefined if the CNF reports none of them */
async function eachModule(api: CnfApi, clock: Clock, endMs: number): Promise<readonly CnfModule[] | undefined> {
  const modules: CnfModule[] = [];
  let hasAny = false;
  for (const [index, name] of moduleNames.entries()) {
    // Time that a module does not use is available to the modules after it.
    const partMs = Math.max(0, endMs - clock.monotonic()) / (moduleNames.length - index);
    try {
      modules.push({ name, status: await within(clock, partMs, (signal) => api.statusOf(name, signal)) });
      hasAny = true;
    } catch (error) {
      if (!(error instanceof TimeoutError) && codeOf(error) === undefined) throw error;
      modules.push({ name, status: notAvailable });
    }
  }
  return hasAny ? modules.toSorted((a, b) => (a.name < b.name ? -1 : 1)) : undefined;
}

/** Runs a request, and aborts it after the given time. @throws {TimeoutError} after that time */
async function within<T>(clock: Clock, ms: number, request: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const end = new AbortController();
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = clock.after(ms, () => {
    const reason = new TimeoutError("the CNF did not respond in time");
    reject(reason);
    end.abort(reason);
  });
  try {
    return await Promise.race([request(end.signal), tooLate]);
  } finally {
    timer.cancel();
    end.abort();
  }
}

/** Maximum number of modules, and maximum length of their names. Names are retained even if a status is too large. */
const maxModules = 64;
const maxNameLength = 64;

/** Returns the valid modules in a CNF's response. */
const shownModules = (response: readonly unknown[]): readonly CnfModule[] =>
  response.filter(isModule).slice(0, maxModules);

const isModule = (element: unknown): element is CnfModule =>
  typeof element === "object" &&
  element !== null &&
  "name" in element &&
  typeof element.name === "string" &&
  element.name.length <= maxNameLength;
