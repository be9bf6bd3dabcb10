import { Client, Connection, type ConnectionSettings } from "@kubewright/client";
import type { ObservedCall } from "@kubewright/rbac";
import { bindRole, type GivenRole, type GivenRule } from "./bind-role.ts";
import { createOf, grantVerbOf, type RefusedCalls, type RunningProgram, WatchedProgram } from "./watched-program.ts";

/** A test API server. An `Environment` satisfies this interface. */
export interface OperatorEnvironment {
  /** Returns an administrator's connection settings. */
  connection(): ConnectionSettings;
  addUser(user: {
    readonly name: string;
    readonly groups?: readonly string[] | undefined;
  }): Promise<ConnectionSettings>;
}

/** A program's access to an API server. */
export interface ProgramAccess {
  readonly env: OperatorEnvironment;
  /** Role with exactly the program's permissions. */
  readonly role: GivenRole;
  /** Name of the user as which the program runs. Default: the role's name. */
  readonly user?: string | undefined;
}

/**
 * Runs a program that has no `setup(manager)` function, as a user with the permissions of a role, against one or more
 * API servers.
 *
 * ```ts
 * await using running = await program([{ env, role }], ([connection], signal) =>
 *   main(connection, signal),
 * );
 * await running.eventually(async () =>
 *   expect(await client.list(Deployment)).toHaveLength(1),
 * );
 * ```
 *
 * @param main program to run. It receives one connection for each item of `accesses`. The connections are closed when the program ends.
 */
export async function program<const A extends readonly ProgramAccess[]>(
  accesses: A,
  main: (connections: { [I in keyof A]: Connection }, signal: AbortSignal) => Promise<void>,
): Promise<RunningProgram> {
  const running = new WatchedProgram(new RoleRefusals(...accesses.map(({ role }) => role)));
  const connections: Connection[] = [];
  for (const { env, role, user = role.metadata.name } of accesses) {
    await using admin = new Client({ connection: env.connection() });
    await bindRole(admin, role, user);
    const connection = new Connection(await env.addUser({ name: user }));
    running.atEnd(() => connection.close());
    running.watch(connection);
    connections.push(connection);
  }
  // One connection per access, in the same order.
  running.start((signal) => main(connections as unknown as { [I in keyof A]: Connection }, signal));
  return running;
}

/** Collects requests that the API server rejected because the program's hand-written role does not allow them. */
export class RoleRefusals implements RefusedCalls {
  readonly #roles: readonly GivenRole[];
  readonly #list = new Set<string>();

  constructor(...roles: readonly GivenRole[]) {
    this.#roles = roles;
  }

  get list(): readonly string[] {
    return [...this.#list];
  }

  /** Adds a message such as `forbidden: get secrets; add the verb "get" on secrets to the role`. */
  add(refused: ObservedCall, isGrant: boolean): void {
    if (isGrant) {
      const what = `${refused.verb} ${refused.resource}.${refused.group}`;
      const verb = grantVerbOf(refused);
      this.#list.add(
        `forbidden: ${what}: this would grant permissions that the role does not have; add the verb "${verb}" on ${verb === "bind" ? "the role that is bound" : refused.resource}`,
      );
      return;
    }
    const isGranted = this.#roles.some(({ rules }) => rules.some((rule) => allows(rule, refused)));
    const { group, resource, verb } = refused.verb === "patch" && isGranted ? createOf(refused) : refused;
    const where = group ? `${resource}.${group}` : resource;
    this.#list.add(`forbidden: ${verb} ${where}; add the verb "${verb}" on ${where} to the role`);
  }

  async named(): Promise<void> {}
}

const allows = ({ apiGroups, resources, verbs }: GivenRule, { group, resource, verb }: ObservedCall): boolean =>
  apiGroups.includes(group) && resources.includes(resource) && verbs.includes(verb);
