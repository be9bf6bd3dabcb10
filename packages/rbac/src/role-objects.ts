import type { RoleRule } from "./grants.ts";

/** An object in the `rbac.authorization.k8s.io/v1` API, or a service account. */
export interface RoleObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
  readonly [field: string]: unknown;
}

const api = "rbac.authorization.k8s.io";

/**
 * Creates a program's role objects, labeled with the program's name. Their names and the `system` namespace are
 * completed later.
 */
export class RoleObjects {
  readonly #labels: Readonly<Record<string, string>>;

  constructor(program: string) {
    this.#labels = { "app.kubernetes.io/name": program, "app.kubernetes.io/managed-by": "kustomize" };
  }

  /** Returns a Role if a namespace is given, and otherwise a ClusterRole. */
  role(name: string, rules: readonly object[], namespace?: string): RoleObject {
    return this.#object(namespace === undefined ? "ClusterRole" : "Role", name, namespace, { rules });
  }

  /** Returns the binding of a role to a service account. @param account service account to which the role is bound */
  binding(name: string, role: string, namespace?: string, account = "controller-manager"): RoleObject {
    const kind = namespace === undefined ? "ClusterRole" : "Role";
    return this.#object(`${kind}Binding`, name, namespace, {
      roleRef: { apiGroup: api, kind, name: role },
      subjects: [{ kind: "ServiceAccount", name: account, namespace: "system" }],
    });
  }

  serviceAccount(name = "controller-manager"): RoleObject {
    return { ...this.#object("ServiceAccount", name, "system", {}), apiVersion: "v1" };
  }

  #object(kind: string, name: string, namespace: string | undefined, body: object): RoleObject {
    const metadata = { name, ...(namespace === undefined ? {} : { namespace }), labels: this.#labels };
    return { apiVersion: `${api}/v1`, kind, metadata, ...body };
  }
}

const all = ["create", "delete", "get", "list", "patch", "update", "watch"];
const userVerbs = {
  admin: [...all, "deletecollection"].sort(),
  editor: all,
  viewer: ["get", "list", "watch"],
} as const;

/**
 * Returns the rules in a role for the program's users (admin, editor or viewer), as in kubebuilder. The roles do not
 * allow writing the status.
 */
export function userRules(group: string, plural: string, user: keyof typeof userVerbs): RoleRule[] {
  return [
    { apiGroups: [group], resources: [plural], verbs: userVerbs[user] },
    { apiGroups: [group], resources: [`${plural}/status`], verbs: ["get"] },
  ];
}
