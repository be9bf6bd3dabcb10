import type { ConnectionSettings } from "@kubewright/client";
import { Client } from "@kubewright/client";
import { type ObservedCall, observedPermissions, type Permission, recordedPermissions } from "@kubewright/codegen";
import { Manager, type ManagerOptions, requestedAccess } from "@kubewright/manager";
import { bindUser } from "./bind-user.ts";
import { changeObserved, observedFileOf, readObserved } from "./observed-file.ts";
import { Refusals } from "./refusals.ts";

/** What is needed of a test API server: an `Environment` fits. */
export interface OperatorEnvironment {
  /** Of somebody who may do everything. */
  connection(): ConnectionSettings;
  addUser(user: { readonly name: string; readonly groups?: readonly string[] }): Promise<ConnectionSettings>;
}

export interface OperatorOptions extends Omit<ManagerOptions, "connection" | "client"> {
  /** What tests saw the program do before. Default: what is in `observedFile`. */
  readonly observed?: readonly Permission[] | undefined;
  /** Where that is committed. Default: `config/rbac/observed.json` of the project that the test runs in, if it is there. */
  readonly observedFile?: string | undefined;
  /** Who it runs as. Default `operator`. */
  readonly user?: string | undefined;
  /**
   * Let it do everything, and add what it does to `observedFile` at its end. Default: whether the environment has `KUBEWRIGHT_RBAC=record`.
   */
  readonly record?: boolean | undefined;
}

/** A program that runs in a test. */
export interface RunningOperator extends AsyncDisposable {
  readonly manager: Manager;
  /** What it was refused so far, each with the remedy. */
  readonly refused: readonly string[];
  /** What it did so far. */
  observed(): readonly Permission[];
  /** Ends it. @throws {Error} if it was refused anything, or what its manager threw */
  stop(): Promise<void>;
}

/**
 * Runs a program as a user who is bound to exactly the roles that are generated for it, so that what they lack fails the test that needs it.
 *
 * ```ts
 * await using running = await operator(env, setup);
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
    user = "operator",
    record = process.env.KUBEWRIGHT_RBAC === "record",
    ...options
  }: OperatorOptions = {},
): Promise<RunningOperator> {
  if (record && observedFile === undefined)
    throw new Error("record: there is no kubewright.json here or above: give observedFile, where it is written");
  const described = new Manager({ ...options, connection: env.connection() });
  setup(described);
  const description = described.describe();
  const admin = new Client({ connection: env.connection() });
  if (!record) await bindUser(admin, description, user, observed);
  const connection = await env.addUser({ name: user, ...(record ? { groups: ["system:masters"] } : {}) });
  const manager = new Manager({ ...options, connection });
  setup(manager);
  const calls: ObservedCall[] = [];
  const refusals = new Refusals(admin.mapper);
  const stopWatching = manager.unfenced.apiReader.connection.observe({
    answered({ method, path, code }) {
      const access = requestedAccess(method, path);
      if (!access) return;
      const { namespace, ...call } = access;
      if (code === "403") refusals.add(call);
      else calls.push({ ...call, isClusterWide: namespace === undefined });
    },
  });
  const end = new AbortController();
  const run = manager.run(end.signal);
  run.catch(() => {}); // told by `stop`
  const finish = async (): Promise<void> => {
    end.abort();
    try {
      await run.finally(stopWatching);
      if (record && observedFile !== undefined)
        await changeObserved(observedFile, (before) => recordedPermissions(before, calls, description));
      await refusals.named();
    } finally {
      await admin.close();
    }
    if (refusals.list.length > 0) throw new Error(refusals.list.join("\n"));
  };
  let finished: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    finished ??= finish();
    return finished;
  };
  return {
    manager,
    get refused() {
      return refusals.list;
    },
    observed: () => observedPermissions(calls, description),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
