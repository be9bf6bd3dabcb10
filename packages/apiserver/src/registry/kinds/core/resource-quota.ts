import {
  type FieldError,
  fieldError,
  fieldPath,
  type KubeObject,
  Quantity,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "../../table-columns.ts";
import { messages } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";

interface ResourceQuota extends KubeObject {
  spec?: { hard?: Record<string, string | number>; scopes?: string[] };
  status?: { hard?: Record<string, string | number>; used?: Record<string, string | number> };
}

const text = (amount: string | number | undefined): string => Quantity.parse(amount ?? "0").toString();

function usageCell({ status }: ResourceQuota, wantsLimits: boolean): string {
  return Object.keys(status?.hard ?? {})
    .sort()
    .filter((name) => name.startsWith("limits.") === wantsLimits)
    .map((name) => `${name}: ${text(status?.used?.[name])}/${text(status?.hard?.[name])}`)
    .join(", ");
}

const plainResources = new Set([
  "cpu",
  "memory",
  "storage",
  "ephemeral-storage",
  "pods",
  "services",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
  "requests.cpu",
  "requests.memory",
  "requests.storage",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
]);

function validate({ spec = {} }: ResourceQuota): FieldError[] {
  const at = fieldPath("spec", "hard");
  return Object.entries(spec.hard ?? {}).flatMap(([name, amount]) => {
    const path = at.key(name);
    const isScoped = name.includes("/");
    const texts = validateQualifiedName(name);
    if (texts.length === 0 && !isScoped && !plainResources.has(name))
      texts.push("must be a standard resource type or fully qualified");
    const isQuota = isScoped || plainResources.has(name) || /^(requests\.)?hugepages-/.test(name);
    return [
      ...messages(name, texts, path),
      ...(isQuota ? [] : [fieldError.invalid(path, name, "must be a standard resource for quota")]),
      ...(Quantity.parse(amount).nanos < 0n
        ? [fieldError.invalid(path, text(amount), "must be greater than or equal to 0")]
        : []),
    ];
  });
}

/** @see pkg/registry/core/resourcequota strategy.go */
export const resourceQuotaStrategy = defineStrategy<ResourceQuota>({
  returnDeletedObject: true,
  prepareForCreate(quota) {
    quota.status = {};
  },
  validate,
  columns: [
    nameColumn,
    column("Request", (quota) => usageCell(quota, false)),
    column("Limit", (quota) => usageCell(quota, true)),
    ageColumn,
  ],
});
