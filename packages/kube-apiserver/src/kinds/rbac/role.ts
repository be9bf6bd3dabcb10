import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  type KubeObject,
  type LabelSelectorSpec,
} from "@kubewright/apimachinery";
import { createdAtColumn, nameColumn } from "@kubewright/apiserver/registry";
import { isEmptySelector, selectorErrors } from "../checks.ts";
import { defineStrategy } from "../define-strategy.ts";
import { isReadable as isReadableSelector } from "../pod/template-selector.ts";

interface RbacRule {
  verbs?: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

interface Role extends KubeObject {
  rules?: RbacRule[];
  aggregationRule?: { clusterRoleSelectors?: LabelSelectorSpec[] };
}

function ruleErrors(rule: RbacRule, isNamespaced: boolean, at: FieldPath): FieldError[] {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const errors: FieldError[] = [];
  if (verbs.length === 0) errors.push(fieldError.required(at.child("verbs"), "verbs must contain at least one value"));
  if (nonResourceURLs.length > 0) {
    const path = at.child("nonResourceURLs");
    if (isNamespaced)
      errors.push(fieldError.invalid(path, nonResourceURLs, "namespaced rules cannot apply to non-resource URLs"));
    if (apiGroups.length + resources.length + resourceNames.length > 0)
      errors.push(
        fieldError.invalid(path, nonResourceURLs, "rules cannot apply to both regular resources and non-resource URLs"),
      );
    return errors;
  }
  if (apiGroups.length === 0)
    errors.push(fieldError.required(at.child("apiGroups"), "resource rules must supply at least one api group"));
  if (resources.length === 0)
    errors.push(fieldError.required(at.child("resources"), "resource rules must supply at least one resource"));
  return errors;
}

function aggregationErrors({ aggregationRule }: Role): FieldError[] {
  if (!aggregationRule) return [];
  const at = fieldPath("aggregationRule", "clusterRoleSelectors");
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0)
    return [fieldError.required(at, "at least one clusterRoleSelector required if aggregationRule is non-nil")];
  return selectors.flatMap((selector, i) => {
    if (isEmptySelector(selector)) return [];
    const path = at.index(i);
    return [
      ...selectorErrors(selector, path),
      ...(isReadableSelector(selector) ? [] : [fieldError.invalid(path, null, "invalid label selector.")]),
    ];
  });
}

const roleErrors = (role: Role, isNamespaced: boolean): FieldError[] =>
  (role.rules ?? []).flatMap((rule, i) => ruleErrors(rule, isNamespaced, fieldPath("rules").index(i)));

const declaredFields = ["rules[].verbs"];

/** Strategy for Roles. @see pkg/registry/rbac/role strategy.go */
export const roleStrategy = defineStrategy<Role>({
  declaredFields,
  nameRule: "pathSegment",
  allowCreateOnUpdate: true,
  validate: (role) => roleErrors(role, true),
  columns: [nameColumn, createdAtColumn],
});

/** Strategy for ClusterRoles. @see pkg/registry/rbac/clusterrole strategy.go */
export const clusterRoleStrategy = defineStrategy<Role>({
  declaredFields,
  nameRule: "pathSegment",
  allowCreateOnUpdate: true,
  validate: (role) => [...roleErrors(role, false), ...aggregationErrors(role)],
  columns: [nameColumn, createdAtColumn],
});
