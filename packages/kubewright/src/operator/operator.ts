import type { Permission } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { observedPermissions, recordedPermissions } from "@kubewright/codegen";
import { derivedPermissions, grantsOf, isGranted } from "@kubewright/codegen/rbac";
import { Manager, type ManagerOptions } from "@kubewright/manager";
import { bindRole, type GivenRole } from "./bind-role.ts";
import { bindUser } from "./bind-user.ts";
import { changeObserved, observedFileOf, readObserved } from "./observed-file.ts";
import { type OperatorEnvironment, RoleRefusals } from "./program.ts";
import { Refusals } from "./refusals.ts";
import { settled } from "./settled.ts";
import { type RunningProgram, WatchedProgram } from "./watched-program.ts";

/** Options of {@link operator}. */
export interface OperatorOptions extends Omit<ManagerOptions, "connection" | "client"> {
  /** Permissions that earlier tests recorded. Default: content of `observedFile`. */
  readonly observed?: readonly Permission[] | undefined;
  /** File of recorded permissions. Default: `config/rbac/observed.json` of the project that contains the working folder, if any. */
  readonly observedFile?: string | undefined;
  /** Role to bind in all namespaces instead of the generated ones. */
  readonly role?: GivenRole | undefined;
  /** User that the program runs as. Default `operator`. */
  readonly user?: string | undefined;
  /**
   * True to grant all permissions and add those that the program used to `observedFile` at the end. Default: true if
   * `KUBEWRIGHT_RBAC=record` is set, unless there is a `role`.
   */
  readonly record?: boolean | undefined;
}

/** A program with a manager that runs in a test. */
export interface RunningOperator extends RunningProgram {
  readonly manager: Manager;
  /** Returns the permissions used so far. */
  observed(): readonly Permission[];
  /**
   * Resolves when the program has nothing left to do at the current time of its clock, which means:
   *
   * - its controllers have started, and their sources have synced;
   * - the manager's cache contains everything that the API server lists now, for each cached kind: your own writes, those of the program,
   * and
   *   all others that were answered by then;
   * - handlers have processed all these changes;
   * - no request is ready in a queue, being reconciled, or held back until the cache contains the program's own writes;
   * - none of this changed during the check.
   *
   * Does not wait for delayed requests (`requeueAfterMs`, backoff, retries of failed handlers): advance the `FakeClock`, then call this
   * again. Also does not wait for later writes of others, such as a garbage collector; objects that a custom source or a channel has not
   * delivered yet; kinds that the program reads live; caches of further clusters; Events that it records; and background work of a
   * reconcile or a runnable.
   *
   * @param timeoutMs real time; default 15,000
   * @throws {Error} after the timeout, with what is still in progress: controllers and their requests, or objects missing from the cache;
   * at once
   *   for any error that `eventually` throws at once
   */
  settled(options?: { readonly timeoutMs?: number | undefined }): Promise<void>;
}

/**
 * Runs a program as a user who is bound to exactly its generated roles, or to the given role. Missing permissions fail the test that needs
 * them.
 *
 * ```ts await using running = await operator(env, setup); await running.eventually(async () => expect((await client.get(Site,
 * key)).status?.readyReplicas).toBe(2));
 * ```
 *
 * @throws {Error} if `setup` throws, or roles cannot be created
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
    throw new Error("record: there is no kubewright.json in this folder or above; set observedFile");
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
