import { type FieldError, type FieldPath, fieldError, ownMember } from "@kubewright/apimachinery";
import { isQuotaResource } from "./resource-names.ts";

/** A scope condition in a quota. */
export interface ScopeSelector {
  /** Name of the scope: `Terminating`, `BestEffort`, `PriorityClass` and so on. */
  readonly scopeName: string;
  /** Operator: `Exists`, `DoesNotExist`, `In` or `NotIn`. */
  readonly operator: string;
  /** Values for the operators `In` and `NotIn`. */
  readonly values?: readonly string[];
}

interface ScopedSpec {
  readonly hard?: Readonly<Record<string, unknown>>;
  readonly scopes?: readonly string[];
  readonly scopeSelector?: { readonly matchExpressions?: readonly ScopeSelector[] };
}

const pods = ["pods"];
const podCompute = ["pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"];
/** Standard resources that a quota with each scope may contain. */
const resourcesOfScope: Readonly<Record<string, readonly string[]>> = {
  Terminating: podCompute,
  NotTerminating: podCompute,
  BestEffort: pods,
  NotBestEffort: podCompute,
  PriorityClass: podCompute,
  CrossNamespacePodAffinity: podCompute,
  VolumeAttributesClass: ["persistentvolumeclaims", "requests.storage"],
};
const onlyExists = ["BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "CrossNamespacePodAffinity"];
const conflicts = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
];

/**
 * Returns the errors in a quota's scopes and scope selector.
 *
 * @see pkg/apis/core/validation validateResourceQuotaScopes, validateScopeSelector
 */
export function scopeErrors(spec: ScopedSpec, at: FieldPath): FieldError[] {
  const { scopes = [], scopeSelector } = spec;
  const resources = Object.keys(spec.hard ?? {}).sort();
  const path = at.child("scopes");
  return [
    ...scopes.flatMap((scope) => [
      ...(Object.hasOwn(resourcesOfScope, scope) ? [] : [fieldError.invalid(path, scopes, "unsupported scope")]),
      ...misapplied(scope, resources).map(() =>
        fieldError.invalid(path, scopes, "unsupported scope applied to resource"),
      ),
    ]),
    ...conflicting(scopes).map(() => fieldError.invalid(path, scopes, "conflicting scopes")),
    ...(scopeSelector ? selectorErrors(spec, resources, at.child("scopeSelector")) : []),
  ];
}

const misapplied = (scope: string, resources: readonly string[]): string[] =>
  resources.filter((name) => isQuotaResource(name) && ownMember(resourcesOfScope, scope)?.includes(name) === false);

const conflicting = (scopes: readonly string[]) =>
  conflicts.filter((pair) => pair.every((each) => scopes.includes(each)));

function selectorErrors(spec: ScopedSpec, resources: readonly string[], at: FieldPath): FieldError[] {
  const expressions = spec.scopeSelector?.matchExpressions ?? [];
  const path = at.child("matchExpressions");
  return [
    ...expressions.flatMap(({ scopeName = "", operator = "", values = [] }) => [
      ...(Object.hasOwn(resourcesOfScope, scopeName)
        ? []
        : [fieldError.invalid(path.child("scopeName"), scopeName, "unsupported scope")]),
      ...misapplied(scopeName, resources).map(() =>
        fieldError.invalid(path, spec.scopeSelector, "unsupported scope applied to resource"),
      ),
      ...(onlyExists.includes(scopeName) && operator !== "Exists"
        ? [
            fieldError.invalid(
              path.child("operator"),
              operator,
              "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
            ),
          ]
        : []),
      ...operatorErrors(operator, values, path),
    ]),
    ...conflicting(expressions.map(({ scopeName }) => scopeName)).map(() =>
      fieldError.invalid(path, spec.scopes ?? null, "conflicting scopes"),
    ),
  ];
}

function operatorErrors(operator: string, values: readonly string[], at: FieldPath): FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length > 0
        ? []
        : [
            fieldError.required(
              at.child("values"),
              "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
            ),
          ];
    case "Exists":
    case "DoesNotExist":
      return values.length === 0
        ? []
        : [
            fieldError.invalid(
              at.child("values"),
              values,
              "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
            ),
          ];
    default:
      return [fieldError.invalid(at.child("operator"), operator, "not a valid selector operator")];
  }
}
