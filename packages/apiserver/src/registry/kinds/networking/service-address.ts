import { fieldError, fieldPath, type KubeObject } from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "../../table-columns.ts";
import { immutable } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { cidrErrors } from "./cidr.ts";

interface IPAddress extends KubeObject {
  spec?: { parentRef?: { group?: string; resource?: string; namespace?: string; name?: string } };
}

function parentCell({ spec }: IPAddress): string {
  const { group, resource = "", namespace, name = "" } = spec?.parentRef ?? {};
  if (!spec?.parentRef) return "<none>";
  const type = `${resource}${group ? `.${group}` : ""}`.toLowerCase();
  return [type, ...(namespace ? [namespace] : []), name].join("/");
}

/** @see pkg/registry/networking/ipaddress strategy.go */
export const ipAddressStrategy = defineStrategy<IPAddress>({
  nameRule: "pathSegment",
  validate: ({ spec }) => {
    const at = fieldPath("spec", "parentRef");
    if (!spec?.parentRef) return [fieldError.required(at)];
    return (["resource", "name"] as const).flatMap((field) =>
      spec.parentRef?.[field] ? [] : [fieldError.required(at.child(field))],
    );
  },
  validateUpdate: (next, old) => immutable(next.spec?.parentRef, old.spec?.parentRef, fieldPath("spec", "parentRef")),
  columns: [nameColumn, column("ParentRef", parentCell)],
});

interface ServiceCIDR extends KubeObject {
  spec?: { cidrs?: string[] };
  status?: Record<string, never>;
}

/** @see pkg/registry/networking/servicecidr strategy.go */
export const serviceCidrStrategy = defineStrategy<ServiceCIDR>({
  statusIgnoresMetadata: "all",
  prepareForCreate(object) {
    object.status = {};
  },
  validate: ({ spec }) => {
    const at = fieldPath("spec", "cidrs");
    const cidrs = spec?.cidrs ?? [];
    if (cidrs.length === 0) return [fieldError.required(at, "at least one CIDR required")];
    if (cidrs.length > 2) return [fieldError.invalid(at, spec, "may only hold up to 2 values")];
    return cidrs.flatMap((cidr, i) => cidrErrors(cidr, at.index(i)));
  },
  columns: [nameColumn, column("CIDRs", ({ spec }) => (spec?.cidrs ?? []).join(",")), ageColumn],
});
