import { isRecord, type Unstructured } from "@kubewright/apimachinery";

interface Grant {
  /** Namespace of the grant. Undefined means all namespaces. */
  readonly namespace: string | undefined;
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  /** Name of the object. Undefined means all objects. */
  readonly name: string | undefined;
}

export interface RbacDrift {
  /** Permissions that the program needs but does not have: `get secrets in shop-system`. */
  readonly missing: readonly string[];
  /** Permissions that the program has but does not need. */
  readonly excess: readonly string[];
}

/**
 * Compares a service account's permissions under two sets of roles and bindings. Ignores permissions for non-resource
 * URLs, because these are granted manually.
 */
export function rbacDrift(
  wanted: readonly Unstructured[],
  present: readonly Unstructured[],
  account: { readonly namespace: string; readonly name: string },
): RbacDrift {
  const [needed, allowed] = [grantsOf(wanted, account), grantsOf(present, account)];
  return { missing: notIn(needed, allowed), excess: notIn(allowed, needed) };
}

/** Groups missing grants by namespace and resource, and joins their verbs. */
function notIn(grants: readonly Grant[], others: readonly Grant[]): string[] {
  const left = grants.filter((grant) => !others.some((one) => isPartOf(grant, one)));
  const groups = Map.groupBy(left, ({ namespace, group, resource, name }) => {
    const object = name === undefined ? "" : ` ${name}`;
    return `${resource}${group ? `.${group}` : ""}${object}${namespace === undefined ? "" : ` in ${namespace}`}`;
  });
  return [...groups]
    .map(([what, same]) => `${[...new Set(same.map(({ verb }) => verb))].sort().join(", ")} ${what}`)
    .sort();
}

function isPartOf(grant: Grant, by: Grant): boolean {
  const fits = (field: "group" | "resource" | "verb"): boolean => by[field] === "*" || by[field] === grant[field];
  return (
    (by.namespace === undefined || by.namespace === grant.namespace) &&
    (by.name === undefined || by.name === grant.name) &&
    fits("group") &&
    fits("resource") &&
    fits("verb")
  );
}

function grantsOf(
  objects: readonly Unstructured[],
  account: { readonly namespace: string; readonly name: string },
): Grant[] {
  return objects
    .filter(({ kind }) => kind === "RoleBinding" || kind === "ClusterRoleBinding")
    .filter(({ subjects }) =>
      recordsIn(subjects).some(
        ({ kind, name, namespace }) =>
          kind === "ServiceAccount" && name === account.name && namespace === account.namespace,
      ),
    )
    .flatMap((binding) => {
      const ref = isRecord(binding.roleRef) ? binding.roleRef : {};
      const { namespace } = binding.metadata;
      const role = objects.find(
        ({ kind, metadata }) =>
          kind === ref.kind &&
          metadata.name === ref.name &&
          (kind === "ClusterRole" || metadata.namespace === namespace),
      );
      return recordsIn(role?.rules).flatMap((rule) =>
        ofRule(rule, binding.kind === "RoleBinding" ? namespace : undefined),
      );
    });
}

function ofRule(rule: Readonly<Record<string, unknown>>, namespace: string | undefined): Grant[] {
  const names = textsIn(rule.resourceNames);
  return textsIn(rule.apiGroups).flatMap((group) =>
    textsIn(rule.resources).flatMap((resource) =>
      textsIn(rule.verbs).flatMap((verb) =>
        (names.length > 0 ? names : [undefined]).map((name) => ({ namespace, group, resource, verb, name })),
      ),
    ),
  );
}

const textsIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
const recordsIn = (value: unknown): Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];
