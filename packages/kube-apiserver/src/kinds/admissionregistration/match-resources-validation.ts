import { type FieldError, type FieldPath, fieldError, isPathSegmentName } from "@kubewright/apimachinery";
import type { MatchResources, NamedRule } from "@kubewright/apiserver/admission";
import { messages, oneOf, selectorErrors } from "../checks.ts";
import { ruleErrors } from "./rule-validation.ts";

const policies = ["Equivalent", "Exact"];

/**
 * Returns the errors in a policy's or binding's match constraints.
 *
 * @see kubernetes pkg/apis/admissionregistration/validation validateMatchResources
 */
export function matchResourcesErrors(match: MatchResources, at: FieldPath): FieldError[] {
  const { matchPolicy, namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [] } = match;
  return [
    ...(matchPolicy === undefined ? [] : oneOf(matchPolicy, policies, at.child("matchPolicy"))),
    ...selectorErrors(namespaceSelector, at.child("namespaceSelector")),
    ...selectorErrors(objectSelector, at.child("objectSelector")),
    ...resourceRules.flatMap((rule, i) => namedRuleErrors(rule, at.child("resourceRules").index(i))),
    ...excludeResourceRules.flatMap((rule, i) => namedRuleErrors(rule, at.child("excludeResourceRules").index(i))),
  ];
}

function namedRuleErrors(rule: NamedRule, at: FieldPath): FieldError[] {
  const names = new Set<string>();
  const errors = (rule.resourceNames ?? []).flatMap((name, i) => {
    const path = at.child("resourceNames").index(i);
    const found = messages(name, isPathSegmentName(name), path);
    if (names.has(name)) found.push(fieldError.duplicate(path, name));
    names.add(name);
    return found;
  });
  return [...errors, ...ruleErrors(rule, at)];
}
