import { fieldError, isRecord, quote } from "@kubewright/apimachinery";
import type { ParamKind, ParamReader } from "@kubewright/apiserver/admission";
import type { RequestUser } from "@kubewright/apiserver/authentication";
import type { AuthorizationAttributes, Authorizer } from "@kubewright/apiserver/authorization";
import type { AccessCheck, CheckedWrite, ReadonlyObject } from "@kubewright/apiserver/registry";

type PolicyPlural = "validatingadmissionpolicies" | "mutatingadmissionpolicies";

/** Function that reads a stored policy by name. */
type PolicyLookup = (plural: PolicyPlural, name: string) => Promise<ReadonlyObject | undefined>;

/**
 * Returns the access checks for admission policies and their bindings, keyed by plural and group. A policy reads its
 * parameters with the server's own permissions and can reveal them in its messages. Therefore, users who write a policy
 * need permission to `get` all objects of its `paramKind`; users who write a binding need permission to `get` the
 * object that the binding names, or to `list` the objects that it selects.
 *
 * @see kubernetes pkg/registry/admissionregistration authz.go
 */
export function paramAccess(
  authorize: Authorizer,
  reader: ParamReader,
  policies: PolicyLookup,
): ReadonlyMap<string, AccessCheck> {
  const binding = (plural: PolicyPlural) => bindingAccess(plural, authorize, reader, policies);
  return new Map<string, AccessCheck>([
    ["validatingadmissionpolicies.admissionregistration.k8s.io", policyAccess(authorize, reader)],
    ["mutatingadmissionpolicies.admissionregistration.k8s.io", policyAccess(authorize, reader)],
    ["validatingadmissionpolicybindings.admissionregistration.k8s.io", binding("validatingadmissionpolicies")],
    ["mutatingadmissionpolicybindings.admissionregistration.k8s.io", binding("mutatingadmissionpolicies")],
  ]);
}

function policyAccess(authorize: Authorizer, reader: ParamReader): AccessCheck {
  return async ({ object, old, part, context: { user } }) => {
    const paramKind = paramKindOf(object);
    if (part !== "main" || !paramKind || isPrivileged(user)) return [];
    const before = old && paramKindOf(old);
    const { apiVersion = "", kind = "" } = paramKind;
    if (before && before.apiVersion === apiVersion && before.kind === kind) return [];
    const about = { ...resourceOf(paramKind, reader), user, verb: "get", namespace: "*", name: "*" };
    const { decision, error } = await authorize({ ...nothing, ...about });
    if (error) return [fieldError.forbidden("spec.paramKind", error)];
    if (decision === "allow") return [];
    const why = `user ${quote(user.name)} must have "get" permission on all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`;
    return [fieldError.forbidden("spec.paramKind", why)];
  };
}

function bindingAccess(
  plural: PolicyPlural,
  authorize: Authorizer,
  reader: ParamReader,
  policies: PolicyLookup,
): AccessCheck {
  // upstream compares pointers instead of the references themselves; they always differ, so every update is checked
  // again
  return async ({ object, context: { user } }) => {
    const spec = isRecord(object.spec) ? object.spec : {};
    const { paramRef } = spec;
    if (!isRecord(paramRef) || isPrivileged(user)) return [];
    const policyName = text(spec.policyName);
    const policy = await policies(plural, policyName);
    const paramKind = policy && paramKindOf(policy);
    const found = paramKind ? resourceOf(paramKind, reader) : everyResource;
    const verb = text(paramRef.name) === "" ? "list" : "get";
    const place = { namespace: text(paramRef.namespace), name: text(paramRef.name) };
    const { decision, error } = await authorize({ ...nothing, ...found, ...place, user, verb });
    const isValidating = plural === "validatingadmissionpolicies";
    if (error)
      return [fieldError.forbidden("spec.paramRef", isValidating ? `failed to authorize request: ${error}` : error)];
    if (decision === "allow") return [];
    const anyNeeded = `to determine minimum required permissions and user ${quote(user.name)} does not have "${verb}" permission for all groups, versions and resources`;
    if (!policy) return [fieldError.forbidden("spec.paramRef", `unable to get policy ${policyName} ${anyNeeded}`)];
    if (paramKind && found.resource === "*") {
      const shown = `&{${paramKind.apiVersion ?? ""} ${paramKind.kind ?? ""}}`;
      return [fieldError.forbidden("spec.paramRef", `unable to resolve paramKind ${shown} ${anyNeeded}`)];
    }
    const [who, what] = isValidating ? [quote(user.name), verb] : [verb, quote(user.name)]; // upstream lists them in the wrong order
    const why = `user ${who} does not have "${what}" permission on the object referenced by paramRef`;
    return [fieldError.forbidden("spec.paramRef", why)];
  };
}

type About = Pick<AuthorizationAttributes, "group" | "version" | "resource">;

const nothing = { isResourceRequest: true, path: "", subresource: "" } as const;
const everyResource: About = { group: "*", version: "*", resource: "*" };

/** Returns the resource of a parameter kind. If the server does not serve the kind, returns all resources of its group. */
function resourceOf(paramKind: ParamKind, reader: ParamReader): About {
  const { apiVersion = "" } = paramKind;
  const slash = apiVersion.indexOf("/");
  const [group, version] = slash < 0 ? ["", apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  return { group, version, resource: reader.resourceOf(paramKind)?.resource ?? "*" };
}

function paramKindOf({ spec }: ReadonlyObject | CheckedWrite["object"]): ParamKind | undefined {
  const paramKind = isRecord(spec) ? spec.paramKind : undefined;
  return isRecord(paramKind) ? { apiVersion: text(paramKind.apiVersion), kind: text(paramKind.kind) } : undefined;
}

const isPrivileged = ({ groups }: RequestUser): boolean => groups.includes("system:masters");

const text = (value: unknown): string => (typeof value === "string" ? value : "");
