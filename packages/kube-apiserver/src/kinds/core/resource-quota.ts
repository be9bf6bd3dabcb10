import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  type KubeObject,
  ownMember,
  Quantity,
} from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { type ScopeSelector, scopeErrors } from "./quota-scope-validation.ts";
import { quotaAmountErrors } from "./resource-names.ts";

interface ResourceQuota extends KubeObject {
  spec?: {
    hard?: Record<string, string | number>;
    scopes?: string[];
    scopeSelector?: { matchExpressions?: ScopeSelector[] };
  };
  status?: { hard?: Record<string, string | number>; used?: Record<string, string | number> };
}

const text = (amount: string | number | undefined): string => Quantity.parse(amount ?? "0").toString();

function usageCell({ status }: ResourceQuota, wantsLimits: boolean): string {
  return Object.keys(status?.hard ?? {})
    .sort()
    .filter((name) => name.startsWith("limits.") === wantsLimits)
    .map((name) => `${name}: ${text(ownMember(status?.used, name))}/${text(ownMember(status?.hard, name))}`)
    .join(", ");
}

const amountsErrors = (amounts: Record<string, string | number> | undefined, at: FieldPath): FieldError[] =>
  Object.entries(amounts ?? {}).flatMap(([name, amount]) => quotaAmountErrors(name, amount, at.key(name)));

const specAt = fieldPath("spec");
const statusAt = fieldPath("status");

const validateSpec = ({ spec = {} }: ResourceQuota): FieldError[] => [
  ...amountsErrors(spec.hard, specAt.child("hard")),
  ...scopeErrors(spec, specAt),
];

const validateStatus = ({ status = {} }: ResourceQuota): FieldError[] => [
  ...amountsErrors(status.hard, statusAt.child("hard")),
  ...amountsErrors(status.used, statusAt.child("used")),
];

function sameScopes({ spec = {} }: ResourceQuota, old: ResourceQuota): FieldError[] {
  const [now, before] = [spec.scopes ?? [], old.spec?.scopes ?? []];
  const isSame = now.every((scope) => before.includes(scope)) && before.every((scope) => now.includes(scope));
  return isSame ? [] : [fieldError.invalid(specAt.child("scopes"), spec.scopes ?? null, "field is immutable")];
}

/** Strategy for ResourceQuotas. @see pkg/registry/core/resourcequota strategy.go */
export const resourceQuotaStrategy = defineStrategy<ResourceQuota>({
  returnDeletedObject: true,
  prepareForCreate(quota) {
    quota.status = {};
  },
  validate: validateSpec,
  validateUpdate: (quota, old) => [...validateSpec(quota), ...sameScopes(quota, old)],
  validateStatusUpdate: validateStatus,
  columns: [
    nameColumn,
    column("Request", (quota) => usageCell(quota, false)),
    column("Limit", (quota) => usageCell(quota, true)),
    ageColumn,
  ],
});
