import { StatusError } from "@kubewright/apimachinery";
import type { RequestUser } from "../authentication/user/user-info.ts";

/** User and action of a request. @see apiserver pkg/authorization/authorizer Attributes */
export interface AuthorizationAttributes {
  readonly user: RequestUser;
  readonly verb: string;
  readonly isResourceRequest: boolean;
  /** Path of a non-resource request. */
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Selector of a list, watch or deletecollection; absent if there is none or it cannot be parsed. */
  readonly fieldSelector?: readonly SelectorRequirement[] | undefined;
  readonly labelSelector?: readonly SelectorRequirement[] | undefined;
}

/** One requirement of a selector; all of them must hold. */
export interface SelectorRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values?: readonly string[] | undefined;
}

/**
 * Decision of an {@link Authorizer}: `deny` is final, and `no opinion` passes the request to the next authorizer. If none has an opinion,
 * the request is rejected.
 *
 * @see apiserver pkg/authorization/authorizer Decision
 */
export interface AuthorizationDecision {
  readonly decision: "allow" | "deny" | "no opinion";
  /** Reason for the decision, reported in the rejection and the audit log. */
  readonly reason?: string | undefined;
  /** Error that occurred during evaluation; the decision still applies. */
  readonly error?: string | undefined;
}

/** Decides whether a user may perform an action, synchronously if possible. @see apiserver pkg/authorization/authorizer Authorizer */
export type Authorizer = (
  attributes: AuthorizationAttributes,
) => Promise<AuthorizationDecision> | AuthorizationDecision;

/** Allows everything. @see apiserver pkg/authorization/authorizerfactory NewAlwaysAllowAuthorizer */
export const alwaysAllow: Authorizer = () => ({ decision: "allow" });
/**
 * Has no opinion on anything, so only other authorizers can allow a request.
 *
 * @see apiserver pkg/authorization/authorizerfactory NewAlwaysDenyAuthorizer
 */
export const alwaysDeny: Authorizer = () => ({ decision: "no opinion", reason: "Everything is forbidden." });

/** Allows members of these groups to do everything, regardless of the modes. */
export function privilegedGroups(...groups: readonly string[]): Authorizer {
  return ({ user }) => ({ decision: user.groups.some((group) => groups.includes(group)) ? "allow" : "no opinion" });
}

/** Calls one authorizer after another until one allows or denies the request. The result is synchronous if all calls are. */
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

/** True for no opinion without a reason. */
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

/** Returns a 403 error that names the user and the action. @see apiserver pkg/endpoints/handlers/responsewriters Forbidden */
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
