import { StatusError } from "@kubewright/apimachinery";
import type { RequestUser } from "../authentication/user/user-info.ts";

/** The user who sent a request, and the requested action. @see apiserver pkg/authorization/authorizer Attributes */
export interface AuthorizationAttributes {
  readonly user: RequestUser;
  readonly verb: string;
  readonly isResourceRequest: boolean;
  /** Path of the request; used for non-resource requests. */
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /**
   * Field selector of a list, watch or deletecollection request; absent if the request has no field selector, or if the
   * selector cannot be parsed.
   */
  readonly fieldSelector?: readonly SelectorRequirement[] | undefined;
  readonly labelSelector?: readonly SelectorRequirement[] | undefined;
}

/** A requirement in a selector. An object must meet all requirements in the selector. */
export interface SelectorRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values?: readonly string[] | undefined;
}

/**
 * Decision of an {@link Authorizer}. `allow` and `deny` are final; after `no opinion`, the next authorizer decides. If no authorizer has an
 * opinion, the request is rejected.
 *
 * @see apiserver pkg/authorization/authorizer Decision
 */
export interface AuthorizationDecision {
  readonly decision: "allow" | "deny" | "no opinion";
  /** Reason for the decision, which is included in the rejection and the audit log. */
  readonly reason?: string | undefined;
  /** Error that occurred during the evaluation. The decision applies despite the error. */
  readonly error?: string | undefined;
}

/**
 * Decides whether a user is allowed to perform an action, synchronously if possible.
 *
 * @see apiserver pkg/authorization/authorizer Authorizer
 */
export type Authorizer = (
  attributes: AuthorizationAttributes,
) => Promise<AuthorizationDecision> | AuthorizationDecision;

/**
 * An authorizer that allows every request.
 *
 * @see apiserver pkg/authorization/authorizerfactory NewAlwaysAllowAuthorizer
 */
export const alwaysAllow: Authorizer = () => ({ decision: "allow" });
/**
 * An authorizer that has no opinion on any request, so that only other authorizers can allow requests.
 *
 * @see apiserver pkg/authorization/authorizerfactory NewAlwaysDenyAuthorizer
 */
export const alwaysDeny: Authorizer = () => ({ decision: "no opinion", reason: "Everything is forbidden." });

/** Returns an authorizer that allows every request by a member of the given groups. It has no opinion on other requests. */
export function privilegedGroups(...groups: readonly string[]): Authorizer {
  return ({ user }) => ({ decision: user.groups.some((group) => groups.includes(group)) ? "allow" : "no opinion" });
}

/** An authorizer, and the name shown in the reasons for a rejection. */
export interface NamedAuthorizer {
  readonly name: string;
  readonly authorize: Authorizer;
}

/**
 * Returns an authorizer that calls others, one after another, until one allows or denies the request. The result is
 * available synchronously if all calls are synchronous. If none of them decides, the result contains all their reasons,
 * each prefixed with the authorizer's name.
 */
export function unionAuthorizer(authorizers: readonly NamedAuthorizer[]): Authorizer {
  return (attributes) => {
    for (let index = 0; index < authorizers.length; index++) {
      const decided = authorizers[index]?.authorize(attributes);
      if (decided === undefined || isSilent(decided)) continue;
      if (!(decided instanceof Promise) && decided.decision !== "no opinion") return decided;
      return askRest(decided, authorizers.slice(index), attributes);
    }
    return { decision: "no opinion", reason: "" };
  };
}

/** Reports whether an authorizer has no opinion and gives neither a reason nor an error. */
const isSilent = (decided: Promise<AuthorizationDecision> | AuthorizationDecision): boolean =>
  !(decided instanceof Promise) && decided.decision === "no opinion" && !decided.reason && !decided.error;

async function askRest(
  first: Promise<AuthorizationDecision> | AuthorizationDecision,
  authorizers: readonly NamedAuthorizer[],
  attributes: AuthorizationAttributes,
): Promise<AuthorizationDecision> {
  const reasons: string[] = [];
  const errors: string[] = [];
  for (const [i, { name, authorize }] of authorizers.entries()) {
    const { decision, reason, error } = await (i === 0 ? first : authorize(attributes));
    if (error) errors.push(error);
    if (decision !== "no opinion") return { decision, ...(reason ? { reason } : {}), ...(error ? { error } : {}) };
    if (reason) reasons.push(`${name}: ${reason}`);
  }
  const reason = reasons.join("\n");
  return errors.length === 0
    ? { decision: "no opinion", reason }
    : { decision: "no opinion", reason, error: errors.length === 1 ? (errors[0] ?? "") : `[${errors.join(", ")}]` };
}

/** Returns a 403 error whose message contains the user and the action. @see apiserver pkg/endpoints/handlers/responsewriters Forbidden */
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
