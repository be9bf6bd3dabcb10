import type { Client } from "@kubewright/client";
import { nextTurn, systemClock } from "@kubewright/clock";
import type { ControllerInspection, QueueRow } from "@kubewright/controller";
import type { Manager } from "@kubewright/manager";
import type { RunningProgram } from "./watched-program.ts";

/** Maximum number of requests or objects named in an error. */
const maxNamed = 5;

/** Implements `RunningOperator.settled`. `admin` must be allowed to list every cached kind. */
export async function settled(
  running: RunningProgram,
  manager: Manager,
  admin: Client,
  timeoutMs = 15_000,
): Promise<void> {
  const over = new AbortController();
  const timer = systemClock.after(timeoutMs, () => over.abort());
  let rest: readonly string[] = ["the API server has not responded"];
  const check = async (): Promise<void> => {
    try {
      rest = await unsettled(manager, admin, over.signal);
    } catch (error) {
      if (!over.signal.aborted) throw error; // the check was aborted; report the last result
    }
    if (rest.length > 0) throw new Error(`not settled within ${timeoutMs} ms: ${rest.join("; ")}`);
  };
  await running.eventually(check, { timeoutMs }).finally(() => timer.cancel());
}

/** Returns descriptions of work in progress; empty if there is none. */
async function unsettled(manager: Manager, admin: Client, signal: AbortSignal): Promise<readonly string[]> {
  await nextTurn(); // a request just taken from a queue appears as running only after pending promises have settled
  const before = reconcilesOf(manager);
  const busy = busyIn(manager);
  if (busy.length > 0) return busy;
  const behind = await manager.cache.behind(admin, { signal });
  if (behind.length > 0) return [`the cache is out of date for ${named(behind)}`];
  await nextTurn();
  const meanwhile = controllersOf(manager).flatMap(({ name, state: { totals, reconciles = [] } }) => {
    const keys = new Set(reconciles.slice(0, totals.reconciles - (before.get(name) ?? 0)).map(({ key }) => key));
    return keys.size > 0 ? [`controller "${name}": ${named([...keys])} reconciled again`] : [];
  });
  return [...meanwhile, ...busyIn(manager)];
}

const reconcilesOf = (manager: Manager): ReadonlyMap<string, number> =>
  new Map(controllersOf(manager).map(({ name, state }) => [name, state.totals.reconciles]));

function busyIn(manager: Manager): readonly string[] {
  const controllers = controllersOf(manager).flatMap(({ name, state }) => {
    const { hasStarted, hasSynced, isHandling, queueLength, running, held, queue } = state;
    const what = [
      ...(hasStarted ? (hasSynced ? [] : ["its sources have not synced"]) : ["it has not started"]),
      ...(isHandling ? ["a handler has not finished"] : []),
      ...(queueLength + running + held > 0 ? [rowsText(queue?.rows ?? []) || `${queueLength} requests queued`] : []),
    ];
    return what.length > 0 ? [`controller "${name}": ${what.join(", ")}`] : [];
  });
  const caches = manager.cache.inspect().flatMap(({ name, hasSynced, isDelivering, lastError }) => {
    if (!hasSynced) return [`the cache for ${name} has not synced${lastError === undefined ? "" : `: ${lastError}`}`];
    return isDelivering ? [`a handler for ${name} has pending changes`] : [];
  });
  return [...controllers, ...caches];
}

const rowsText = (rows: readonly QueueRow[]): string =>
  named(rows.flatMap(({ key, state, forMs = 0 }) => (isDue(state, forMs) ? [`${key} (${state})`] : [])));

/** Returns true if a request is due. Failed requests wait `forMs` until they are retried. */
const isDue = (state: QueueRow["state"], forMs: number): boolean =>
  state === "failing" ? forMs <= 0 : state !== "delayed";

const named = (all: readonly string[]): string => {
  const more = all.length - maxNamed;
  return `${all.slice(0, maxNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
};

/** Returns the manager's controllers with their queues and last reconciles. */
function controllersOf(manager: Manager): readonly { readonly name: string; readonly state: ControllerInspection }[] {
  const names = new Set(manager.inspect().flatMap(({ name, state }) => (isController(state) ? [name] : [])));
  return [...names].flatMap((name) =>
    manager.inspect({ name, limit: 100 }).flatMap(({ state }) => (isController(state) ? [{ name, state }] : [])),
  );
}

const isController = (state: object): state is ControllerInspection =>
  "queueLength" in state && "hasSynced" in state && "totals" in state;
