import type { GroupVersionResource } from "@kubewright/apimachinery";
import type { AdmissionAttributes } from "./admission.ts";

/** A rule in a webhook or policy that matches requests by operation and resource. */
export interface OperationRule {
  readonly operations?: readonly string[] | undefined;
  readonly apiGroups?: readonly string[] | undefined;
  readonly apiVersions?: readonly string[] | undefined;
  /** Resources, such as `pods`, `pods/status`, `*` or `pods/*`. */
  readonly resources?: readonly string[] | undefined;
  readonly scope?: string | undefined;
  /** Object names, which only rules of policies can have. If absent or empty, every name matches. */
  readonly resourceNames?: readonly string[] | undefined;
}

type MatchedAttributes = Pick<AdmissionAttributes, "operation" | "subresource" | "namespace" | "name">;

/**
 * Reports whether a rule matches a request for the given resource.
 *
 * @see apiserver pkg/admission/plugin/webhook/predicates/rules Matcher
 */
export function ruleMatches(rule: OperationRule, asked: MatchedAttributes, resource: GroupVersionResource): boolean {
  return (
    scopeMatches(rule.scope, asked, resource) &&
    matchesAny(rule.operations, asked.operation) &&
    matchesAny(rule.apiGroups, resource.group) &&
    matchesAny(rule.apiVersions, resource.version) &&
    (rule.resources ?? []).some((pattern) => resourceMatches(pattern, resource.resource, asked.subresource)) &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(asked.name))
  );
}

/**
 * Reports whether a resource is exempt from webhooks and policies. Admission configurations are exempt, because
 * mistakes in them could otherwise not be corrected. {@link isReview Reviews} are also exempt.
 */
export const isExcludedFromAdmission = (resource: Pick<GroupVersionResource, "group" | "resource">): boolean =>
  (resource.group === "admissionregistration.k8s.io" && configurations.has(resource.resource)) || isReview(resource);

/**
 * Reports whether a resource consists of authentication or authorization reviews. If admission rejected reviews, nobody
 * could be authorized to correct the mistake.
 *
 * @see kubernetes pkg/kubeapiserver/admission/exclusion Excluded
 */
export const isReview = ({ group, resource }: Pick<GroupVersionResource, "group" | "resource">): boolean =>
  reviews.has(`${resource}.${group}`);

const reviews: ReadonlySet<string> = new Set([
  "selfsubjectreviews.authentication.k8s.io",
  "tokenreviews.authentication.k8s.io",
  "localsubjectaccessreviews.authorization.k8s.io",
  "selfsubjectaccessreviews.authorization.k8s.io",
  "selfsubjectrulesreviews.authorization.k8s.io",
  "subjectaccessreviews.authorization.k8s.io",
]);

const configurations: ReadonlySet<string> = new Set([
  "validatingwebhookconfigurations",
  "mutatingwebhookconfigurations",
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
]);

const matchesAny = (patterns: readonly string[] | undefined, value: string): boolean =>
  (patterns ?? []).some((pattern) => pattern === "*" || pattern === value);

function resourceMatches(pattern: string, resource: string, subresource: string): boolean {
  const slash = pattern.indexOf("/");
  const [name, sub] = slash < 0 ? [pattern, ""] : [pattern.slice(0, slash), pattern.slice(slash + 1)];
  return (name === "*" || name === resource) && (sub === "*" || sub === subresource);
}

/**
 * Reports whether the scope of a rule matches a request. A request about a Namespace counts as being in that namespace, although Namespaces
 * are cluster-scoped.
 */
function scopeMatches(
  scope: string | undefined,
  { namespace }: MatchedAttributes,
  resource: GroupVersionResource,
): boolean {
  if (scope === undefined || scope === "*") return true;
  const isOfCluster = namespace === "" || (resource.group === "" && resource.resource === "namespaces");
  return scope === "Cluster" ? isOfCluster : !isOfCluster;
}
