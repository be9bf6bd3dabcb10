/**
 * Whose refusal a 403 is. Of an `authorizer`, for want of a rule; of the check that nobody grants `more` than they have; or of `admission`: a
 * quota, a namespace that is ending, a policy, a webhook, which no role helps against.
 *
 * @param said the server's message
 * @see apiserver pkg/endpoints/handlers/responsewriters ForbiddenStatusError, kubernetes pkg/registry/rbac/validation ConfirmNoEscalation
 */
export function refuserOf(said: string): "authorizer" | "more" | "admission" {
  if (/\bcannot \S+ (?:resource|path) "/.test(said)) return "authorizer";
  return said.includes("attempting to grant RBAC permissions not currently held") ? "more" : "admission";
}
