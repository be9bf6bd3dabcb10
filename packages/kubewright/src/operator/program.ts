import { Client, Connection, type ConnectionSettings } from "@kubewright/client";
import type { ObservedCall } from "@kubewright/codegen";
import { bindRole, type GivenRole, type PolicyRule } from "./bind-role.ts";
import { createOf, grantVerbOf, type RefusedCalls, type RunningProgram, WatchedProgram } from "./watched-program.ts";

/** What is needed of a test API server: an `Environment` fits. */
export interface OperatorEnvironment {
  /** Of somebody who may do everything. */
  connection(): ConnectionSettings;
  addUser(user: { readonly name: string; readonly groups?: readonly string[] }): Promise<ConnectionSettings>;
}

/** An API server that a program is let in to. */
export interface ProgramAccess {
  readonly env: OperatorEnvironment;
  /** What the program may do there, and nothing else. */
  readonly role: GivenRole;
  /** Who it is there. Default: the role's name. */
  readonly user?: string | undefined;
}

/**
 * Runs a program that is no `setup(manager)` as a user who may do what a role says, on one API server or several.
 *
 * ```ts
 * await using running = await program([{ env, role }], ([connection], signal) => main(connection, signal));
 * await running.eventually(async () => expect(await client.list(Deployment)).toHaveLength(1));
 * ```
 *
 * @param main is given a connection for each of `accesses`; they are closed once it has ended
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
  // One for each access, in their order.
  running.start((signal) => main(connections as unknown as { [I in keyof A]: Connection }, signal));
  return running;
}

/** What a program was refused that a role written by hand would have to allow. */
export class RoleRefusals implements RefusedCalls {
  readonly #roles: readonly GivenRole[];
  readonly #list = new Set<string>();

  constructor(...roles: readonly GivenRole[]) {
    this.#roles = roles;
  }

  get list(): readonly string[] {
    return [...this.#list];
  }

  /** Such as `forbidden: get secrets: add the verb "get" on secrets to the role`. */
  add(refused: ObservedCall, isGrant: boolean): void {
    if (isGrant) {
      const what = `${refused.verb} ${refused.resource}.${refused.group}`;
      const verb = grantVerbOf(refused);
      this.#list.add(
        `forbidden: ${what}: it would grant what the role does not have: add the verb "${verb}" on ${verb === "bind" ? "the role that is bound" : refused.resource}`,
      );
      return;
    }
    const isGranted = this.#roles.some(({ rules }) => rules.some((rule) => allows(rule, refused)));
    const { group, resource, verb } = refused.verb === "patch" && isGranted ? createOf(refused) : refused;
    const where = group ? `${resource}.${group}` : resource;
    this.#list.add(`forbidden: ${verb} ${where}: add the verb "${verb}" on ${where} to the role`);
  }

  async named(): Promise<void> {}
}

const allows = ({ apiGroups, resources, verbs }: PolicyRule, { group, resource, verb }: ObservedCall): boolean =>
  apiGroups.includes(group) && resources.includes(resource) && verbs.includes(verb);
