import { StatusError } from "@kubewright/apimachinery";
import type { UserInfo } from "../authentication/user/user-info.ts";

/** What is to be done, by whom. @see apiserver pkg/authorization/authorizer Attributes */
export interface AuthorizationAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly isResourceRequest: boolean;
  /** Of non-resource requests. */
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** What a list, watch or deletecollection is limited to; absent where it is not, or not by a selector that can be read. */
  readonly fieldSelector?: readonly SelectorRequirement[];
  readonly labelSelector?: readonly SelectorRequirement[];
}

/** One condition of a selector; all of them hold. */
export interface SelectorRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values?: readonly string[];
}

/**
 * What an {@link Authorizer} says: `deny` ends the matter, `no opinion` leaves it to the next; where all have none the request is refused.
 *
 * @see apiserver pkg/authorization/authorizer Decision
 */
export interface AuthorizationDecision {
  readonly decision: "allow" | "deny" | "no opinion";
  /** For whom is refused, and for the audit log. */
  readonly reason?: string;
  /** Something could not be found out; what is decided holds nevertheless. */
  readonly error?: string;
}

/** Decides who may do what; at once where it can. @see apiserver pkg/authorization/authorizer Authorizer */
export type Authorizer = (
  attributes: AuthorizationAttributes,
) => Promise<AuthorizationDecision> | AuthorizationDecision;

/** Everybody may do everything. @see apiserver pkg/authorization/authorizerfactory NewAlwaysAllowAuthorizer */
export const alwaysAllow: Authorizer = () => ({ decision: "allow" });
/**
 * Nobody may do anything that no other authorizer allows: it has no opinion.
 *
 * @see apiserver pkg/authorization/authorizerfactory NewAlwaysDenyAuthorizer
 */
export const alwaysDeny: Authorizer = () => ({ decision: "no opinion", reason: "Everything is forbidden." });

/** Members of these groups may do everything, whatever the modes say. */
export function privilegedGroups(...groups: readonly string[]): Authorizer {
  return ({ user }) => ({ decision: user.groups.some((group) => groups.includes(group)) ? "allow" : "no opinion" });
}

/** Asks one after another until one allows or denies. Where nobody has to wait for it, neither has the caller. */
export function unionAuthorizer(authorizers: readonly Authorizer[]): Authorizer {
  return (attributes) => {
    for (let index = 0; index < authorizers.length; index++) {
      const decided = authorizers[index]?.(attributes);
      if (decided === undefined || isSilent(decided)) continue;
      if (!(decided instanceof Promise) && decided.decision !== "no opinion") return decided;
      return askRest(decided, authorizers.slice(index + 1), attributes);
    }
    return { decision: "no opinion", reason: "" };
  };
}

/** Has nothing to say, not even why. */
const isSilent = (decided: Promise<AuthorizationDecision> | AuthorizationDecision): boolean =>
  !(decided instanceof Promise) && decided.decision === "no opinion" && !decided.reason && !decided.error;

async function askRest(
  first: Promise<AuthorizationDecision> | AuthorizationDecision,
  rest: readonly Authorizer[],
  attributes: AuthorizationAttributes,
): Promise<AuthorizationDecision> {
  const reasons: string[] = [];
  const errors: string[] = [];
  for (const answer of [() => first, ...rest]) {
    const { decision, reason, error } = await answer(attributes);
    if (error) errors.push(error);
    if (decision !== "no opinion") return { decision, ...(reason ? { reason } : {}), ...(error ? { error } : {}) };
    if (reason) reasons.push(reason);
  }
  const reason = reasons.join("\n");
  return errors.length === 0
    ? { decision: "no opinion", reason }
    : { decision: "no opinion", reason, error: errors.length === 1 ? (errors[0] ?? "") : `[${errors.join(", ")}]` };
}

/** The 403 that says who may not do what. @see apiserver pkg/endpoints/handlers/responsewriters Forbidden */
export function forbiddenRequest(attributes: AuthorizationAttributes, reason: string | undefined): StatusError {
  const { group, resource, name } = attributes;
  const tail = `${forbiddenSentence(attributes)}${reason ? `: ${reason}` : ""}`;
  const qualified = group === "" ? resource : `${resource}.${group}`;
  const message = !attributes.isResourceRequest
    ? `forbidden: ${tail}`
    : name === ""
      ? `${qualified} is forbidden: ${tail}`
      : `${qualified} "${name}" is forbidden: ${tail}`;
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason: "Forbidden",
    details: {
      ...(name ? { name } : {}),
      ...(group ? { group } : {}),
      ...(resource ? { kind: resource } : {}),
    },
    code: 403,
  });
}

function forbiddenSentence(attributes: AuthorizationAttributes): string {
  const { user, verb, group, resource, subresource, namespace, path } = attributes;
  if (!attributes.isResourceRequest) return `User "${user.name}" cannot ${verb} path "${path}"`;
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace "${namespace}"`;
  return `User "${user.name}" cannot ${verb} resource "${what}" in API group "${group}" ${where}`;
}
