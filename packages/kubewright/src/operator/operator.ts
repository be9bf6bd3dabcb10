import type { ConnectionSettings } from "@kubewright/client";
import { Client } from "@kubewright/client";
import { type ObservedCall, observedPermissions, type Permission } from "@kubewright/codegen";
import { Manager, type ManagerOptions, requestedAccess } from "@kubewright/manager";
import { bindUser } from "./bind-user.ts";

/** What is needed of a test API server: an `Environment` fits. */
export interface OperatorEnvironment {
  /** Of somebody who may do everything. */
  connection(): ConnectionSettings;
  addUser(user: { readonly name: string }): Promise<ConnectionSettings>;
}

export interface OperatorOptions extends Omit<ManagerOptions, "connection" | "client"> {
  /** What tests saw the program do before, as it is committed. Default: nothing, roles have what is derived and declared. */
  readonly observed?: readonly Permission[] | undefined;
  /** Who it runs as. Default `operator`. */
  readonly user?: string | undefined;
  /** Bind it to nothing and let it do everything, to see what it does: see `observed`. Default false. */
  readonly record?: boolean | undefined;
}

/** A program that runs in a test. */
export interface RunningOperator extends AsyncDisposable {
  readonly manager: Manager;
  /** What it was refused so far, each with the remedy. */
  readonly refused: readonly string[];
  /** What it did so far, for the file of observed permissions. */
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
  { observed, user = "operator", record = false, ...options }: OperatorOptions = {},
): Promise<RunningOperator> {
  const described = new Manager({ ...options, connection: env.connection() });
  setup(described);
  const description = described.describe();
  if (!record) {
    await using admin = new Client({ connection: env.connection() });
    await bindUser(admin, description, user, observed);
  }
  const connection = record ? env.connection() : await env.addUser({ name: user });
  const manager = new Manager({ ...options, connection });
  setup(manager);
  const calls: ObservedCall[] = [];
  const refused = new Set<string>();
  const stopWatching = manager.unfenced.apiReader.connection.observe({
    answered({ method, path, code }) {
      const call = requestedAccess(method, path);
      if (!call) return;
      if (code === "403") refused.add(remedyFor(call));
      else calls.push(call);
    },
  });
  const end = new AbortController();
  const run = manager.run(end.signal);
  run.catch(() => {}); // told by `stop`
  const stop = async (): Promise<void> => {
    end.abort();
    await run.finally(stopWatching);
    if (refused.size > 0) throw new Error([...refused].join("\n"));
  };
  return {
    manager,
    get refused() {
      return [...refused];
    },
    observed: () => observedPermissions(calls, description),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** `forbidden: get secrets: add .needs(<the kind of secrets>, ["get"]) or record`. */
function remedyFor({ group, resource, verb }: ObservedCall): string {
  const [plural = "", part] = resource.split("/");
  const options = part ? `, { subResource: "${part}" }` : "";
  const where = group ? `${resource}.${group}` : resource;
  return `forbidden: ${verb} ${where}: add .needs(<kind of ${plural}>, ["${verb}"]${options}) or record`;
}
