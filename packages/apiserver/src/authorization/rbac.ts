import type { DeepReadonly, KubeObject } from "@kubewright/apimachinery";
import type { RequestUser } from "../authentication/user/user-info.ts";
import type { AuthorizationDecision, Authorizer } from "./authorizer.ts";
import { type RbacRule, type RuleResolver, ruleAllows } from "./rules.ts";

/** A Role or ClusterRole. */
export interface RbacRole extends KubeObject {
  rules?: RbacRule[];
}

/** The user, group or service account to which a binding grants a role. @see rbac v1 Subject */
export interface RbacSubject {
  readonly kind: string;
  readonly apiGroup?: string;
  readonly name: string;
  readonly namespace?: string;
}

/** A reference from a binding to its role. @see rbac v1 RoleRef */
export interface RoleRef {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

/** A RoleBinding or ClusterRoleBinding. */
export interface RbacBinding extends KubeObject {
  subjects?: RbacSubject[];
  roleRef: RoleRef;
}

export type Binding = DeepReadonly<RbacBinding>;

/** Provides roles and bindings. For a missing object, returns `undefined`, which allows nothing. */
export interface RbacSource {
  role(namespace: string, name: string): Promise<DeepReadonly<RbacRole> | undefined>;
  clusterRole(name: string): Promise<DeepReadonly<RbacRole> | undefined>;
  roleBindings(namespace: string): Promise<readonly DeepReadonly<RbacBinding>[]>;
  clusterRoleBindings(): Promise<readonly DeepReadonly<RbacBinding>[]>;
}

interface Grant {
  readonly rule: RbacRule;
  readonly binding: Binding;
  readonly subject: RbacSubject;
}

/** An authorizer for role-based access control. @see kubernetes plugin/pkg/auth/authorizer/rbac RBACAuthorizer */
export class RbacAuthorizer {
  readonly #source: RbacSource;

  constructor(source: RbacSource) {
    this.#source = source;
  }

  readonly authorize: Authorizer = async (attributes): Promise<AuthorizationDecision> => {
    const missing: string[] = [];
    for await (const { rule, binding, subject } of this.#grants(attributes.user, attributes.namespace, missing))
      if (ruleAllows(rule, attributes)) return { decision: "allow", reason: reasonOf(binding, subject) };
    return missing.length === 0 ? { decision: "no opinion" } : { decision: "no opinion", reason: problemsOf(missing) };
  };

  readonly rulesFor: RuleResolver = async (user, namespace) => {
    const rules: RbacRule[] = [];
    const missing: string[] = [];
    for await (const { rule } of this.#grants(user, namespace, missing)) rules.push(rule);
    return { rules, incomplete: false, ...(missing.length > 0 ? { error: listed(missing) } : {}) };
  };

  /** Returns the rules of the role to which a binding refers, or `undefined` if the role does not exist. */
  async rulesOf({ kind, name }: Pick<RoleRef, "kind" | "name">, namespace: string) {
    const role = kind === "Role" ? await this.#source.role(namespace, name) : await this.#source.clusterRole(name);
    return role && (role.rules ?? []);
  }

  /**
   * Yields all rules that apply to a user: first the rules from cluster-wide bindings, and then the rules from bindings in the
   * namespace.
   */
  async *#grants(user: RequestUser, namespace: string, missing: string[] = []): AsyncIterable<Grant> {
    yield* this.#grantsOf(await this.#source.clusterRoleBindings(), user, "", missing);
    if (namespace !== "") yield* this.#grantsOf(await this.#source.roleBindings(namespace), user, namespace, missing);
  }

  /** Yields the rules that bindings grant to a user. @param missing list to which the names of missing roles are added */
  async *#grantsOf(
    bindings: readonly Binding[],
    user: RequestUser,
    namespace: string,
    missing: string[],
  ): AsyncIterable<Grant> {
    for (const binding of bindings) {
      const subject = binding.subjects?.find((candidate) => isSubject(candidate, user, namespace));
      if (!subject) continue;
      const { kind, name } = binding.roleRef;
      const role = kind === "Role" ? await this.#source.role(namespace, name) : await this.#source.clusterRole(name);
      if (!role) missing.push(`${kind.toLowerCase()}.rbac.authorization.k8s.io "${name}" not found`);
      for (const rule of role?.rules ?? []) yield { rule, binding, subject };
    }
  }
}

function isSubject(subject: RbacSubject, user: RequestUser, namespace: string): boolean {
  switch (subject.kind) {
    case "User":
      return subject.name === user.name;
    case "Group":
      return user.groups.includes(subject.name);
    case "ServiceAccount": {
      const owner = subject.namespace || namespace;
      return owner !== "" && user.name === `system:serviceaccount:${owner}:${subject.name}`;
    }
    default:
      return false;
  }
}

const problemsOf = (problems: readonly string[]): string => `RBAC: ${listed(problems)}`;

function listed(problems: readonly string[]): string {
  const [only = "", ...more] = new Set(problems);
  return more.length === 0 ? only : `[${[only, ...more].join(", ")}]`;
}

function reasonOf({ kind, metadata, roleRef }: Binding, subject: RbacSubject): string {
  const name = metadata.namespace ? `${metadata.name}/${metadata.namespace}` : metadata.name;
  const who =
    subject.kind === "ServiceAccount"
      ? `ServiceAccount "${subject.name}/${subject.namespace || (metadata.namespace ?? "")}"`
      : `${subject.kind} "${subject.name}"`;
  return `RBAC: allowed by ${kind} "${name}" of ${roleRef.kind} "${roleRef.name}" to ${who}`;
}
