import { Client } from "@kubewright/client";
import { systemClock } from "@kubewright/clock";
import { observedPermissions, type Permission, recordedPermissions } from "@kubewright/codegen";
import { derivedPermissions, grantsOf, isGranted } from "@kubewright/codegen/rbac";
import type { ControllerInspection, QueueRow } from "@kubewright/controller";
import { Manager, type ManagerOptions } from "@kubewright/manager";
import { bindRole, type GivenRole } from "./bind-role.ts";
import { bindUser } from "./bind-user.ts";
import { changeObserved, observedFileOf, readObserved } from "./observed-file.ts";
import { type OperatorEnvironment, RoleRefusals } from "./program.ts";
import { Refusals } from "./refusals.ts";
import { type RunningProgram, WatchedProgram } from "./watched-program.ts";

/** How a program runs in a test: as which user, bound to which role, and whether what it does is written down. */
export interface OperatorOptions extends Omit<ManagerOptions, "connection" | "client"> {
  /** What tests saw the program do before. Default: what is in `observedFile`. */
  readonly observed?: readonly Permission[] | undefined;
  /** Where that is committed. Default: `config/rbac/observed.json` of the project that the test runs in, if it is there. */
  readonly observedFile?: string | undefined;
  /** Bind it to this role, in all namespaces, instead of those that are generated. */
  readonly role?: GivenRole | undefined;
  /** Who it runs as. Default `operator`. */
  readonly user?: string | undefined;
  /**
   * Let it do everything, and add what it does to `observedFile` at its end. Default: whether the environment has `KUBEWRIGHT_RBAC=record`,
   * unless there is a `role`.
   */
  readonly record?: boolean | undefined;
}

/** A program of a manager that runs in a test. */
export interface RunningOperator extends RunningProgram {
  readonly manager: Manager;
  /** What it did so far. */
  observed(): readonly Permission[];
  /**
   * Resolves when the program has nothing left to do at this moment of its clock. That is the case when
   *
   * - its controllers have started, and their sources have synced;
   * - the manager's cache shows what the API server lists now, of every kind that it keeps: your own writes, those of the program, and
   *   those of anybody else that were answered by then;
   * - handlers have taken all these changes;
   * - no request is ready in a queue, reconciled, or held back until the cache shows the program's own writes;
   * - and none of this has changed while it was checked.
   *
   * Requests that wait for their time (`requeueAfterMs`, backoff, handlers that failed and are retried) are not waited for: turn the
   * `FakeClock`, then call this again. Also not waited for: writes that others make later, such as a garbage collector; objects that an own
   * source or a channel has not delivered yet; kinds that the program reads live; caches of further clusters; Events that it records; and
   * work that a reconcile or a runnable goes on with in the background.
   *
   * @param timeoutMs by the machine's time. Default 15,000
   * @throws {Error} after the time, with what is still going on: the controller and its requests, or the objects that the cache does not
   *   show; at once what `eventually` throws at once
   */
  settled(options?: { readonly timeoutMs?: number | undefined }): Promise<void>;
}

/**
 * Runs a program as a user who is bound to exactly the roles that are generated for it, or to the one that is given, so that what they
 * lack fails the test that needs it.
 *
 * ```ts
 * await using running = await operator(env, setup);
 * await running.eventually(async () => expect((await client.get(Site, key)).status?.readyReplicas).toBe(2));
 * ```
 *
 * @throws {Error} if `setup` throws, or roles cannot be made
 */
export async function operator(
  env: OperatorEnvironment,
  setup: (manager: Manager) => void,
  {
    observedFile = observedFileOf(process.cwd()),
    observed = observedFile === undefined ? undefined : readObserved(observedFile),
    role,
    user = "operator",
    record = role === undefined && process.env.KUBEWRIGHT_RBAC === "record",
    ...options
  }: OperatorOptions = {},
): Promise<RunningOperator> {
  if (record && observedFile === undefined)
    throw new Error("record: there is no kubewright.json here or above: give observedFile, where it is written");
  const described = new Manager({ ...options, connection: env.connection() });
  setup(described);
  const description = described.describe();
  const admin = new Client({ connection: env.connection() });
  const granted = [...derivedPermissions(description), ...(observed ?? []), ...description.permissions].flatMap(
    grantsOf,
  );
  const refusals = role ? new RoleRefusals(role) : new Refusals(admin.mapper, (call) => isGranted(call, granted));
  const running = new WatchedProgram(refusals);
  running.atEnd(() => admin.close());
  if (!record) await (role ? bindRole(admin, role, user) : bindUser(admin, description, user, observed));
  const connection = await env.addUser({ name: user, ...(record ? { groups: ["system:masters"] } : {}) });
  const manager = new Manager({ ...options, connection });
  setup(manager);
  running.watch(manager.unfenced.apiReader.connection);
  running.start(async (signal) => {
    await manager.run(signal);
    if (record && observedFile !== undefined)
      await changeObserved(observedFile, (before) => recordedPermissions(before, running.calls, description));
  });
  return Object.assign(running, {
    manager,
    observed: () => observedPermissions(running.calls, description),
    settled: (options: { readonly timeoutMs?: number | undefined } = {}) => settled(running, manager, admin, options),
  });
}

/** So many requests or objects are named in an error. */
const mostNamed = 5;

async function settled(
  running: RunningProgram,
  manager: Manager,
  admin: Client,
  { timeoutMs = 15_000 }: { readonly timeoutMs?: number | undefined },
): Promise<void> {
  const over = new AbortController();
  const timer = systemClock.after(timeoutMs, () => over.abort());
  let rest: readonly string[] = ["the API server has not answered"];
  const check = async (): Promise<void> => {
    try {
      rest = await unsettled(manager, admin, over.signal);
    } catch (error) {
      if (!over.signal.aborted) throw error; // else it was cut short: what was found before is what is going on
    }
    if (rest.length > 0) throw new Error(`not settled within ${timeoutMs} ms: ${rest.join("; ")}`);
  };
  await running.eventually(check, { timeoutMs }).finally(() => timer.cancel());
}

/** What is still going on, in words. Nothing once the program has nothing to do. */
async function unsettled(manager: Manager, admin: Client, signal: AbortSignal): Promise<readonly string[]> {
  await macrotask(); // a request that was just taken is in no queue before promises have run
  const before = reconcilesOf(manager);
  const busy = busyIn(manager);
  if (busy.length > 0) return busy;
  const behind = await manager.cache.behind(admin, { signal });
  if (behind.length > 0) return [`the cache does not show ${named(behind)}`];
  await macrotask();
  const meanwhile = controllersOf(manager).flatMap(({ name, state: { totals, reconciles = [] } }) => {
    const keys = new Set(reconciles.slice(0, totals.reconciles - (before.get(name) ?? 0)).map(({ key }) => key));
    return keys.size > 0 ? [`controller "${name}": ${named([...keys])} reconciled again`] : [];
  });
  return [...meanwhile, ...busyIn(manager)];
}

const macrotask = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const reconcilesOf = (manager: Manager): ReadonlyMap<string, number> =>
  new Map(controllersOf(manager).map(({ name, state }) => [name, state.totals.reconciles]));

function busyIn(manager: Manager): readonly string[] {
  const controllers = controllersOf(manager).flatMap(({ name, state }) => {
    const { hasStarted, hasSynced, isHandling, queueLength, running, held, queue } = state;
    const what = [
      ...(hasStarted ? (hasSynced ? [] : ["its sources have not synced"]) : ["it has not started"]),
      ...(isHandling ? ["a handler has not ended"] : []),
      ...(queueLength + running + held > 0 ? [rowsText(queue?.rows ?? []) || `${queueLength} requests queued`] : []),
    ];
    return what.length > 0 ? [`controller "${name}": ${what.join(", ")}`] : [];
  });
  const caches = manager.cache.inspect().flatMap(({ name, hasSynced, isDelivering, lastError }) => {
    if (!hasSynced) return [`the cache of ${name} has not synced${lastError === undefined ? "" : `: ${lastError}`}`];
    return isDelivering ? [`a handler of ${name} has changes to take`] : [];
  });
  return [...controllers, ...caches];
}

const rowsText = (rows: readonly QueueRow[]): string =>
  named(rows.flatMap(({ key, state, forMs = 0 }) => (isDue(state, forMs) ? [`${key} (${state})`] : [])));

/** What failed waits for its time, with the milliseconds until then, unless it is ready. */
const isDue = (state: QueueRow["state"], forMs: number): boolean =>
  state === "failing" ? forMs <= 0 : state !== "delayed";

const named = (all: readonly string[]): string => {
  const more = all.length - mostNamed;
  return `${all.slice(0, mostNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
};

/** Controllers with their queues and their last reconciles. */
function controllersOf(manager: Manager): readonly { readonly name: string; readonly state: ControllerInspection }[] {
  const names = new Set(manager.inspect().flatMap(({ name, state }) => (isController(state) ? [name] : [])));
  return [...names].flatMap((name) =>
    manager.inspect({ name, limit: 100 }).flatMap(({ state }) => (isController(state) ? [{ name, state }] : [])),
  );
}

const isController = (state: object): state is ControllerInspection =>
  "queueLength" in state && "hasSynced" in state && "totals" in state;
