import {
  badRequest,
  forbidden,
  isRecord,
  jsonEqual,
  notFound,
  quote,
  type Unstructured,
} from "@kubewright/apimachinery";
import type { AdmissionAttributes, AdmissionPlugin } from "@kubewright/apiserver/admission";
import type { Authorizer, RbacAuthorizer, RbacRule } from "@kubewright/apiserver/authorization";
import { escalationRefusal } from "@kubewright/apiserver/authorization";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import { unexplained } from "@kubewright/codec";

const group = "rbac.authorization.k8s.io";
const checked: ReadonlySet<string> = new Set(["roles", "clusterroles", "rolebindings", "clusterrolebindings"]);
const fullAuthority: readonly RbacRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

/**
 * Prevents users from granting permissions that they do not have themselves, unless they have permission to `escalate`
 * roles or to `bind` the role in question. Upstream implements this in the stores for roles and bindings; here, it is
 * the last mutating plugin, so that it runs after all changes and before validation.
 *
 * @see kubernetes pkg/registry/rbac, policybased
 */
export function roleEscalation(rbac: RbacAuthorizer, authorize: Authorizer): AdmissionPlugin {
  return {
    name: "kubewright/RoleEscalation",
    handles: (operation) => operation === "CREATE" || operation === "UPDATE",
    async admit(attributes) {
      const { resource, subresource, object, oldObject, user } = attributes;
      if (resource.group !== group || !checked.has(resource.resource) || subresource !== "" || !object) return;
      if (user.groups.includes("system:masters")) return;
      if (oldObject && changesOnlyCollection(object, oldObject)) return;
      if (resource.resource.endsWith("roles")) await checkRole(attributes, object);
      else await checkBinding(attributes, object);
    },
  };

  async function checkRole(attributes: AdmissionAttributes, object: Unstructured): Promise<void> {
    const { resource, oldObject, urlName = "" } = attributes;
    if (await mayDo(attributes, "escalate", resource.resource, urlName)) return;
    await confirm(attributes, rulesOf(object));
    if (!hasAggregation(object) && !(oldObject && hasAggregation(oldObject))) return;
    const { user, namespace } = attributes;
    if (escalationRefusal(user, await rbac.rulesFor(user, namespace), fullAuthority) !== undefined)
      throw forbidden(resource, nameOf(attributes), "must have cluster-admin privileges to use the aggregationRule");
  }

  async function checkBinding(attributes: AdmissionAttributes, object: Unstructured): Promise<void> {
    const { resource, namespace } = attributes;
    const roleRef: Record<string, unknown> = isRecord(object.roleRef) ? object.roleRef : {};
    const [kind, name] = [String(roleRef.kind ?? ""), String(roleRef.name ?? "")];
    const isRole = kind === "Role" || kind === "ClusterRole";
    if (isRole && (await mayDo(attributes, "bind", `${kind.toLowerCase()}s`, name))) return;
    if (!isRole) throw unexplained(`unsupported role reference kind: ${quote(kind)}`);
    if (name === "") throw badRequest("Name parameter required.");
    const rules = await rbac.rulesOf({ kind, name }, namespace);
    if (!rules) throw notFound(resource, name); // upstream names the binding's resource here
    await confirm(attributes, rules);
  }

  async function confirm(attributes: AdmissionAttributes, rules: readonly RbacRule[]): Promise<void> {
    const { user, namespace, resource } = attributes;
    const refusal = escalationRefusal(user, await rbac.rulesFor(user, namespace), rules);
    if (refusal !== undefined) throw forbidden(resource, nameOf(attributes), refusal);
  }

  async function mayDo(
    { user, namespace }: AdmissionAttributes,
    verb: string,
    resource: string,
    name: string,
  ): Promise<boolean> {
    const place = { path: "", group, version: "*", subresource: "", namespace };
    const { decision } = await authorize({ ...place, user, verb, isResourceRequest: true, resource, name });
    return decision === "allow";
  }
}

const nameOf = ({ object }: AdmissionAttributes): string => object?.metadata.name ?? "";

const rulesOf = ({ rules }: ReadonlyObject | Unstructured): readonly RbacRule[] =>
  (Array.isArray(rules) ? rules.filter(isRecord) : []).map(({ verbs, ...rest }) => ({
    ...rest,
    verbs: Array.isArray(verbs) ? verbs : [],
  }));

function hasAggregation({ aggregationRule }: ReadonlyObject | Unstructured): boolean {
  const selectors = isRecord(aggregationRule) ? aggregationRule.clusterRoleSelectors : undefined;
  return Array.isArray(selectors) && selectors.length > 0;
}

/**
 * Reports whether only owner references and finalizers have changed. Such changes are always allowed, because they are
 * made by the garbage collector.
 */
export function changesOnlyCollection(object: Unstructured, old: ReadonlyObject): boolean {
  const rest = ({ metadata, ...members }: ReadonlyObject | Unstructured): unknown => {
    const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _fields, ...others } = metadata;
    return { ...members, metadata: others };
  };
  return jsonEqual(rest(object), rest(old));
}
