import type { Clock } from "@kubewright/clock";
import type { CnfApi, CnfModule } from "../cnf/cnf-api.ts";
import { codeOf, endsConversation } from "../cnf/cnf-error.ts";
import { notAvailable } from "./cnf-report.ts";

/** The modules that CNFs have, least first, so that what is large does not take the time of the others. */
const moduleNames = ["interface", "ipsec", "route", "rule", "wan", "conntrack"] as const;

/**
 * Asks a CNF how it is. Where it cannot say it of all modules at once, each is asked for on its own.
 *
 * @throws whatever kept it from saying anything within the time
 */
export async function inquire(api: CnfApi, clock: Clock, timeoutMs: number): Promise<readonly CnfModule[]> {
  const end = new AbortController();
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = clock.after(timeoutMs, () => {
    const reason = new Error(`the CNF has not said within ${timeoutMs} ms how it is`);
    reject(reason);
    end.abort(reason);
  });
  try {
    return await Promise.race([ask(api, end.signal), tooLate]);
  } finally {
    timer.cancel();
    end.abort();
  }
}

async function ask(api: CnfApi, signal: AbortSignal): Promise<readonly CnfModule[]> {
  try {
    return shownModules(await api.status(signal));
  } catch (error) {
    if (endsConversation(error)) throw error;
    return askEach(api, signal, error);
  }
}

async function askEach(api: CnfApi, signal: AbortSignal, reason: unknown): Promise<readonly CnfModule[]> {
  const modules: CnfModule[] = [];
  let hasAny = false;
  for (const name of moduleNames) {
    signal.throwIfAborted();
    try {
      modules.push({ name, status: await api.statusOf(name, signal) });
      hasAny = true;
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      modules.push({ name, status: notAvailable });
    }
  }
  if (!hasAny) throw reason;
  return modules.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Elements that are modules, whatever a CNF answers. */
const shownModules = (answer: readonly unknown[]): readonly CnfModule[] =>
  answer.filter(
    (element): element is CnfModule =>
      typeof element === "object" && element !== null && "name" in element && typeof element.name === "string",
  );
