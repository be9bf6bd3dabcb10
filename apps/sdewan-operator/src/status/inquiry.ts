import type { Clock } from "@kubewright/clock";
import type { CnfApi, CnfModule } from "../cnf/cnf-api.ts";
import { codeOf, endsConversation } from "../cnf/cnf-error.ts";
import { notAvailable } from "./cnf-report.ts";

/** The modules that CNFs have, least first, so that what is large does not take the time of the others. */
const moduleNames = ["interface", "ipsec", "route", "rule", "wan", "conntrack"] as const;

/** It took too long. */
class TooLateError extends Error {
  override readonly name = "TooLateError";
}

/**
 * Asks a CNF how it is. Where it cannot say it of all modules at once, or not within half of the time, each is asked for on its own in what
 * is left of it.
 *
 * @throws whatever kept it from saying anything within the time
 */
export async function inquire(api: CnfApi, clock: Clock, timeoutMs: number): Promise<readonly CnfModule[]> {
  const endMs = clock.monotonic() + timeoutMs;
  try {
    return shownModules(await within(clock, timeoutMs / 2, (signal) => api.status(signal)));
  } catch (error) {
    if (!(error instanceof TooLateError) && endsConversation(error)) throw error;
    const modules = await eachModule(api, clock, endMs);
    if (modules) return modules;
    throw error instanceof TooLateError
      ? new TooLateError(`the CNF has not said within ${timeoutMs} ms how it is`)
      : error;
  }
}

/** @returns nothing if none of them says anything */
async function eachModule(api: CnfApi, clock: Clock, endMs: number): Promise<readonly CnfModule[] | undefined> {
  const modules: CnfModule[] = [];
  let hasAny = false;
  for (const [index, name] of moduleNames.entries()) {
    // What one does not use of its part of the time is for those after it.
    const partMs = Math.max(0, endMs - clock.monotonic()) / (moduleNames.length - index);
    try {
      modules.push({ name, status: await within(clock, partMs, (signal) => api.statusOf(name, signal)) });
      hasAny = true;
    } catch (error) {
      if (!(error instanceof TooLateError) && codeOf(error) === undefined) throw error;
      modules.push({ name, status: notAvailable });
    }
  }
  return hasAny ? modules.toSorted((a, b) => (a.name < b.name ? -1 : 1)) : undefined;
}

/** @throws {TooLateError} after so long; the question is given up */
async function within<T>(clock: Clock, ms: number, question: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const end = new AbortController();
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = clock.after(ms, () => {
    const reason = new TooLateError("the CNF has not answered in time");
    reject(reason);
    end.abort(reason);
  });
  try {
    return await Promise.race([question(end.signal), tooLate]);
  } finally {
    timer.cancel();
    end.abort();
  }
}

/** More modules no CNF has, nor longer names: these are told however large a status is. */
const mostModules = 64;
const longestName = 64;

/** Elements that are modules, whatever a CNF answers. */
const shownModules = (answer: readonly unknown[]): readonly CnfModule[] =>
  answer.filter(isModule).slice(0, mostModules);

const isModule = (element: unknown): element is CnfModule =>
  typeof element === "object" &&
  element !== null &&
  "name" in element &&
  typeof element.name === "string" &&
  element.name.length <= longestName;
