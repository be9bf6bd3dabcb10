/**
 * Returns the source of a 403: an `authorizer`, because a rule is missing; `more`, the check that users cannot grant more than they have;
 * or `admission`: a quota, a terminating namespace, a policy or a webhook, which no role can change.
 *
 * @param said the server's message
 * @see apiserver pkg/endpoints/handlers/responsewriters ForbiddenStatusError, kubernetes pkg/registry/rbac/validation ConfirmNoEscalation
 */
export function refuserOf(said: string): "authorizer" | "more" | "admission" {
  if (/\bcannot \S+ (?:resource|path) "/.test(said)) return "authorizer";
  return said.includes("attempting to grant RBAC permissions not currently held") ? "more" : "admission";
}
