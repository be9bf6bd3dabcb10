import { type FieldError, type FieldPath, fieldError } from "@kubewright/apimachinery";
import type { Rule } from "@kubewright/apiserver/admission";

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const scopes = ["*", "Cluster", "Namespaced"];

/**
 * Returns the errors in a webhook's or policy's rule.
 *
 * @see kubernetes pkg/apis/admissionregistration/validation validateRuleWithOperations
 */
export function ruleErrors(rule: Rule, at: FieldPath): FieldError[] {
  const { operations: asked = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  const errors: FieldError[] = [];
  if (asked.length === 0) errors.push(fieldError.required(at.child("operations")));
  if (asked.length > 1 && asked.includes("*"))
    errors.push(
      fieldError.invalid(at.child("operations"), asked, "if '*' is present, must not specify other operations"),
    );
  for (const [i, operation] of asked.entries())
    if (!operations.includes(operation))
      errors.push(fieldError.notSupported(at.child("operations").index(i), operation, operations));
  if (apiGroups.length === 0) errors.push(fieldError.required(at.child("apiGroups")));
  if (apiGroups.length > 1 && apiGroups.includes("*"))
    errors.push(
      fieldError.invalid(at.child("apiGroups"), apiGroups, "if '*' is present, must not specify other API groups"),
    );
  if (apiVersions.length === 0) errors.push(fieldError.required(at.child("apiVersions")));
  if (apiVersions.length > 1 && apiVersions.includes("*"))
    errors.push(
      fieldError.invalid(
        at.child("apiVersions"),
        apiVersions,
        "if '*' is present, must not specify other API versions",
      ),
    );
  for (const [i, version] of apiVersions.entries())
    if (version === "") errors.push(fieldError.required(at.child("apiVersions").index(i)));
  errors.push(...resourceErrors(resources, at.child("resources")));
  if (scope !== undefined && !scopes.includes(scope))
    errors.push(fieldError.notSupported(at.child("scope"), scope, scopes));
  return errors;
}

function resourceErrors(resources: readonly string[], at: FieldPath): FieldError[] {
  if (resources.length === 0) return [fieldError.required(at)];
  const errors: FieldError[] = [];
  const [wholes, parts] = [new Set<string>(), new Set<string>()];
  for (const [i, pattern] of resources.entries()) {
    if (pattern === "") {
      errors.push(fieldError.required(at.index(i)));
      continue;
    }
    const slash = pattern.indexOf("/");
    const [resource, sub] = slash < 0 ? [pattern, ""] : [pattern.slice(0, slash), pattern.slice(slash + 1)];
    if (pattern === "*/*") continue;
    if (wholes.has(resource))
      errors.push(
        fieldError.invalid(at.index(i), pattern, `if '${resource}/*' is present, must not specify ${pattern}`),
      );
    if (parts.has(sub))
      errors.push(fieldError.invalid(at.index(i), pattern, `if '*/${sub}' is present, must not specify ${pattern}`));
    if (sub === "*") wholes.add(resource);
    if (resource === "*" && slash >= 0) parts.add(sub);
  }
  if (resources.length > 1 && resources.includes("*/*"))
    errors.push(fieldError.invalid(at, resources, "if '*/*' is present, must not specify other resources"));
  else if (resources.includes("*") && resources.some((pattern) => pattern !== "*" && !pattern.includes("/")))
    errors.push(
      fieldError.invalid(at, resources, "if '*' is present, must not specify other resources without subresources"),
    );
  return errors;
}
