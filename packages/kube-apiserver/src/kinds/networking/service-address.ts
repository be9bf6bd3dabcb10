import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  isDns1123Subdomain,
  isPathSegmentName,
  jsonEqual,
  type KubeObject,
} from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { messages } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { unchanged } from "../unchanged.ts";
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

function validateAddress({ spec }: IPAddress): FieldError[] {
  const at = fieldPath("spec", "parentRef");
  if (!spec?.parentRef) return [fieldError.required(at)];
  const { group = "", resource = "", namespace = "", name: parent = "" } = spec.parentRef;
  return [
    ...(group === "" ? [] : messages(group, isDns1123Subdomain(group), at.child("group"))),
    ...(resource === ""
      ? [fieldError.required(at.child("resource"))]
      : messages(resource, isPathSegmentName(resource), at.child("resource"))),
    ...(parent === ""
      ? [fieldError.required(at.child("name"))]
      : messages(parent, isPathSegmentName(parent), at.child("name"))),
    ...(namespace === "" ? [] : messages(namespace, isPathSegmentName(namespace), at.child("namespace"))),
  ];
}

/** Strategy for IPAddresses. @see pkg/registry/networking/ipaddress strategy.go */
export const ipAddressStrategy = defineStrategy<IPAddress>({
  declaredFields: ["spec.parentRef", "spec.parentRef.resource", "spec.parentRef.name"],
  nameRule: "address",
  validate: validateAddress,
  validateUpdate: (next, old) => [
    ...validateAddress(next),
    ...unchanged(next.spec?.parentRef, old.spec?.parentRef, fieldPath("spec", "parentRef")),
  ],
  columns: [nameColumn, column("ParentRef", parentCell)],
});

interface ServiceCIDR extends KubeObject {
  spec?: { cidrs?: string[] };
  status?: Record<string, never>;
}

/** Returns the errors in a list of networks, each of which must have a different address family. */
function networkErrors(cidrs: readonly string[], at: FieldPath): FieldError[] {
  const wrong = cidrs.flatMap((cidr, i) =>
    cidrErrors(cidr || "-", at.index(i)).map((error) => ({ ...error, badValue: cidr })),
  );
  const [first = "", second] = cidrs;
  if (wrong.length > 0 || second === undefined || first.includes(":") !== second.includes(":")) return wrong;
  const one = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
  return [fieldError.invalid(at, cidrs, one)];
}

/**
 * Returns errors for changes to a ServiceCIDR's networks. Only a network of a second address family may be added.
 *
 * @see pkg/apis/networking/validation ValidateServiceCIDRUpdate
 */
function cidrChanges(spec: ServiceCIDR["spec"] = {}, old: readonly string[]): FieldError[] {
  const at = fieldPath("spec", "cidrs");
  const { cidrs } = spec;
  if (jsonEqual(cidrs ?? [], old)) return [];
  if (old.length !== 1 || !cidrs || cidrs.length === 0 || cidrs.length > 2)
    return [fieldError.invalid(at, spec.cidrs ?? null, "field is immutable")];
  return [
    ...(cidrs[0] === old[0] ? [] : [fieldError.invalid(at.index(0), cidrs[0], "field is immutable")]),
    ...(cidrs.length === 2 ? networkErrors(cidrs, at) : []),
  ];
}

/** Strategy for ServiceCIDRs. @see pkg/registry/networking/servicecidr strategy.go */
export const serviceCidrStrategy = defineStrategy<ServiceCIDR>({
  statusIgnoresMetadata: "all",
  prepareForCreate(object) {
    object.status = {};
  },
  // a stored value is not checked again
  validateUpdate: ({ spec }, { spec: old }) => cidrChanges(spec, old?.cidrs ?? []),
  validate: ({ spec }) => {
    const at = fieldPath("spec", "cidrs");
    const cidrs = spec?.cidrs ?? [];
    if (cidrs.length === 0) return [fieldError.required(at, "at least one CIDR required")];
    if (cidrs.length > 2) return [fieldError.invalid(at, spec, "may only hold up to 2 values")];
    return networkErrors(cidrs, at);
  },
  columns: [nameColumn, column("CIDRs", ({ spec }) => (spec?.cidrs ?? []).join(",")), ageColumn],
});
