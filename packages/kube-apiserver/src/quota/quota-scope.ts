import type { DeepReadonly } from "@kubewright/apimachinery";
import type { ScopeSelector } from "../kinds/core/quota-scope-validation.ts";

export type { ScopeSelector };

/** The ResourceQuota fields that are needed to count its usage. */
export interface Quota {
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
  readonly spec?:
    | {
        readonly hard?: Readonly<Record<string, string | number>> | undefined;
        readonly scopes?: readonly string[] | undefined;
        readonly scopeSelector?: { readonly matchExpressions?: readonly ScopeSelector[] | undefined } | undefined;
      }
    | undefined;
  readonly status?:
    | {
        readonly hard?: Readonly<Record<string, string | number>> | undefined;
        readonly used?: Readonly<Record<string, string | number>> | undefined;
      }
    | undefined;
}

/** Returns all scope conditions in a quota. Each entry in `scopes` becomes a condition with the operator `Exists`. */
export function scopesOf({ spec }: DeepReadonly<Quota>): ScopeSelector[] {
  return [
    ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" })),
    ...(spec?.scopeSelector?.matchExpressions ?? []),
  ];
}

/** Reports whether a scope condition matches a value, which may be absent. */
export function selectorAccepts({ operator, values = [] }: ScopeSelector, value: string | undefined): boolean {
  switch (operator) {
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    default:
      return false;
  }
}
