import type { AdmissionAttributes } from "../admission.ts";
import { type Equivalent, equivalentsOf, type ServedResources } from "../equivalent-resources.ts";
import type { NamespaceLookup } from "../namespace-lifecycle.ts";
import { type OperationRule, ruleMatches } from "../rules.ts";
import { namespaceMatches, objectMatches } from "../selectors.ts";
import type { MatchResources } from "./policy-types.ts";

/**
 * Returns the resource under which a policy or binding matches a request, or `undefined` if the policy or binding does not match.
 *
 * @throws {StatusError} if it cannot be determined whether they match
 *
 * @see apiserver pkg/admission/plugin/policy/matching Matcher.Matches
 */
export async function policyMatch(
  match: MatchResources,
  attributes: AdmissionAttributes,
  served: ServedResources,
  namespaces: NamespaceLookup,
): Promise<Equivalent | undefined> {
  const { resourceRules = [], excludeResourceRules = [], matchPolicy = "Equivalent" } = match;
  const { resource, kind } = attributes;
  const places = (): readonly Equivalent[] =>
    matchPolicy === "Exact" ? [] : equivalentsOf(served, resource, attributes.subresource);
  const place =
    resourceRules.length === 0 ? { resource, kind } : placeIn(resourceRules, attributes, { resource, kind }, places);
  if (!place || placeIn(excludeResourceRules, attributes, { resource, kind }, places)) return undefined;
  if (!objectMatches(match, attributes)) return undefined;
  return (await namespaceMatches(match, attributes, namespaces)) ? place : undefined;
}

function placeIn(
  rules: readonly OperationRule[],
  attributes: AdmissionAttributes,
  own: Equivalent,
  others: () => readonly Equivalent[],
): Equivalent | undefined {
  if (rules.some((rule) => ruleMatches(rule, attributes, own.resource))) return own;
  const equivalents = rules.length === 0 ? [] : others();
  for (const rule of rules) {
    const found = equivalents.find((other) => ruleMatches(rule, attributes, other.resource));
    if (found) return found;
  }
  return undefined;
}
