import { Client } from "@kubewright/client";
import { observedPermissions, type Permission, recordedPermissions } from "@kubewright/codegen";
import { derivedPermissions, grantsOf, isGranted } from "@kubewright/codegen/rbac";
import { Manager, type ManagerOptions } from "@kubewright/manager";
import { bindRole, type GivenRole } from "./bind-role.ts";
import { bindUser } from "./bind-user.ts";
import { changeObserved, observedFileOf, readObserved } from "./observed-file.ts";
import { type OperatorEnvironment, RoleRefusals } from "./program.ts";
import { Refusals } from "./refusals.ts";
import { settled } from "./settled.ts";
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
   * @param timeoutMs real time; default 15,000
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
    settled: (options: { readonly timeoutMs?: number | undefined } = {}) =>
      settled(running, manager, admin, options.timeoutMs),
  });
}
