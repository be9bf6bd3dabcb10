import type { Permission } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { Manager, type ManagerOptions } from "@kubewright/manager";
import { derivedPermissions, grantsOf, isGranted, observedPermissions, recordedPermissions } from "@kubewright/rbac";
import { bindRole, type GivenRole } from "./bind-role.ts";
import { bindUser } from "./bind-user.ts";
import { changeObserved, observedFileOf, readObserved } from "./observed-file.ts";
import { type OperatorEnvironment, RoleRefusals } from "./program.ts";
import { Refusals } from "./refusals.ts";
import { settled } from "./settled.ts";
import { type RunningProgram, WatchedProgram } from "./watched-program.ts";

/** Options for {@link operator}. */
export interface OperatorOptions extends Omit<ManagerOptions, "connection" | "client"> {
  /** Permissions recorded by earlier tests. Default: the content of `observedFile`. */
  readonly observed?: readonly Permission[] | undefined;
  /** File with recorded permissions. Default: `config/rbac/observed.json` in the project that contains the working folder, if any. */
  readonly observedFile?: string | undefined;
  /** Role to bind in all namespaces, instead of the generated roles. */
  readonly role?: GivenRole | undefined;
  /** Name of the user as which the program runs; also the default `fieldOwner`. Default `operator`. */
  readonly user?: string | undefined;
  /**
   * True to grant all permissions and to add those that the program used to `observedFile` at the end. Default: true if
   * `KUBEWRIGHT_RBAC=record` is set and there is no `role`.
   */
  readonly record?: boolean | undefined;
}

/** A program with a manager, running in a test. */
export interface RunningOperator extends RunningProgram {
  readonly manager: Manager;
  /** Returns the permissions used so far. */
  observed(): readonly Permission[];
  /**
   * Resolves when the program has nothing left to do at the current time of its clock:
   *
   * - Its controllers have started, and their sources have synced.
   * - For each cached kind, the manager's cache contains everything that the API server lists, including the program's
   *   own writes.
   * - Handlers have processed all these changes.
   * - No request is ready in a queue, being reconciled, or held back until the cache contains the program's own writes.
   * - None of this changed during the check.
   *
   * Does not wait for delayed requests (`requeueAfterMs`, backoff, retries of failed handlers): advance the `FakeClock`, then call
   * `settled` again. It also does not wait for:
   *
   * - later writes by others, such as a garbage collector
   * - objects that a custom source or a channel has not delivered yet
   * - kinds that the program reads live, and caches of additional clusters
   * - Events that the program records, and background work that a reconcile or a runnable started
   *
   * @param timeoutMs maximum real time, in ms; default 15,000
   * @throws {Error} after the timeout; the message lists controllers with unfinished requests, and objects missing from the cache
   * @throws {Error} immediately for every error that `eventually` throws immediately
   */
  settled(options?: { readonly timeoutMs?: number | undefined }): Promise<void>;
}

/**
 * Runs a program as a user that has only the permissions of the program's generated roles, or of a given role. A
 * missing permission fails the test.
 *
 * ```ts
 * await using running = await operator(env, setup);
 * await running.eventually(async () => {
 *   expect((await client.get(Site, key)).status?.readyReplicas).toBe(2);
 * });
 * ```
 *
 * @throws {Error} if `setup` throws, or if the roles cannot be created
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
    fieldOwner = user,
    ...others
  }: OperatorOptions = {},
): Promise<RunningOperator> {
  if (record && observedFile === undefined)
    throw new Error("record: neither this folder nor a parent folder contains kubewright.json; set observedFile");
  const options = { ...others, fieldOwner };
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
