import {
  type FieldError,
  FieldPath,
  fieldError,
  isConditionTrue,
  isDns1035Label,
  isDns1123Subdomain,
  jsonEqual,
} from "@kubewright/apimachinery";
import { caBundleChangeErrors, conversionErrors } from "../conversion/conversion-validation.ts";
import type { CustomResourceDefinition, DefinitionNames, DefinitionVersion } from "../definition/definition.ts";
import { ruleDefinitionErrors } from "../rules/rule-definition-errors.ts";
import { schemaSupportErrors } from "../schema/schema-support.ts";
import { structuralErrors } from "../schema/structural-rules.ts";
import { defaultErrors } from "./default-validation.ts";
import { columnsErrors, deprecationErrors, scaleErrors, selectableFieldErrors } from "./version-validation.ts";

type Spec = CustomResourceDefinition["spec"];
const specPath = FieldPath.of("spec");

/**
 * Validates a CRD, and returns the errors with upstream's messages and paths.
 *
 * @see apiextensions-apiserver pkg/apis/apiextensions/validation ValidateCustomResourceDefinition
 */
export function validateDefinition(definition: CustomResourceDefinition): FieldError[] {
  const { spec, metadata } = definition;
  const errors: FieldError[] = [];
  if (metadata.name !== `${spec.names.plural}.${spec.group}`)
    errors.push(fieldError.invalid("metadata.name", metadata.name ?? "", 'must be spec.names.plural+"."+spec.group'));
  return [...errors, ...specErrors(spec), ...storedVersionErrors(definition), ...approvalErrors(definition)];
}

/** Validates an update to a CRD, and returns the errors. Once a CRD is established, its names and scope are immutable. */
export function validateDefinitionUpdate(
  definition: CustomResourceDefinition,
  old: Readonly<CustomResourceDefinition>,
): FieldError[] {
  const { spec } = definition;
  const errors = [...specErrors(spec)];
  errors.push(...caBundleChangeErrors(spec.conversion, old.spec.conversion, specPath.child("conversion")));
  const immutable = (path: FieldPath, value: unknown, before: unknown): void => {
    if (!jsonEqual(value, before)) errors.push(fieldError.invalid(path, value, "field is immutable"));
  };
  if (isConditionTrue(old.status?.conditions ?? undefined, "Established")) {
    immutable(specPath.child("scope"), spec.scope, old.spec.scope);
    immutable(specPath.child("names", "kind"), spec.names.kind, old.spec.names.kind);
  }
  immutable(specPath.child("group"), spec.group, old.spec.group);
  immutable(specPath.child("names", "plural"), spec.names.plural, old.spec.names.plural);
  return [...errors, ...storedVersionErrors(definition)];
}

function specErrors(spec: Spec): FieldError[] {
  const isShared = sharedParts(spec.versions ?? []);
  return [
    ...groupErrors(spec.group),
    ...scopeErrors(spec.scope),
    ...versionsErrors(spec, isShared),
    ...requiredNames(spec.names),
    ...namesErrors(spec.names, specPath.child("names")),
    ...sharedErrors(spec, isShared),
    ...conversionErrors(spec.conversion, specPath.child("conversion")),
    ...(spec.preserveUnknownFields
      ? [
          fieldError.invalid(
            specPath.child("preserveUnknownFields"),
            true,
            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
          ),
        ]
      : []),
  ];
}

function groupErrors(group: string): FieldError[] {
  const path = specPath.child("group");
  if (!group) return [fieldError.required(path)];
  const wrong = isDns1123Subdomain(group);
  if (wrong.length > 0) return [fieldError.invalid(path, group, wrong.join(","))];
  return group.includes(".") ? [] : [fieldError.invalid(path, group, "should be a domain with at least one dot")];
}

function scopeErrors(scope: string): FieldError[] {
  const path = specPath.child("scope");
  if (!scope) return [fieldError.required(path)];
  return scope === "Cluster" || scope === "Namespaced"
    ? []
    : [fieldError.notSupported(path, scope, ["Cluster", "Namespaced"])];
}

function versionsErrors(spec: Spec, isShared: (part: VersionPart) => boolean): FieldError[] {
  const path = specPath.child("versions");
  const versions = spec.versions ?? [];
  const errors: FieldError[] = [];
  for (const [i, version] of versions.entries())
    if (!version.schema?.openAPIV3Schema)
      errors.push(fieldError.required(path.index(i).child("schema", "openAPIV3Schema")));
  for (const [i, version] of versions.entries()) {
    const at = path.index(i);
    const wrong = isDns1035Label(version.name ?? "");
    if (wrong.length > 0) errors.push(fieldError.invalid(at.child("name"), version.name ?? "", wrong.join(",")));
    errors.push(...deprecationErrors(version, at.child("deprecationWarning")));
    for (const part of versionParts) if (!isShared(part)) errors.push(...partErrors(part, version, at, "schema"));
  }
  if (new Set(versions.map(({ name }) => name)).size < versions.length)
    errors.push(fieldError.invalid(path, versions, "must contain unique version names"));
  if (versions.filter(({ storage }) => storage).length !== 1)
    errors.push(fieldError.invalid(path, versions, "must have exactly one version marked as storage version"));
  const [first] = versions;
  const wrong = first ? isDns1035Label(first.name ?? "") : [];
  if (wrong.length > 0) errors.push(fieldError.invalid(specPath.child("version"), first?.name, wrong.join(",")));
  return errors;
}

type VersionPart = "schema" | "subresources" | "additionalPrinterColumns" | "selectableFields";
const versionParts: readonly VersionPart[] = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"];

/**
 * Reports whether all versions have the same value for a part. Upstream stores such a part only once for all versions, and reports its
 * errors there.
 */
const sharedParts =
  (versions: readonly DefinitionVersion[]) =>
  (part: VersionPart): boolean =>
    versions.every((version) => jsonEqual(version[part], versions[0]?.[part]));

function partErrors(
  part: VersionPart,
  version: DefinitionVersion,
  path: FieldPath,
  schemaName: "schema" | "validation",
): FieldError[] {
  switch (part) {
    case "schema":
      return schemaErrors(version, path.child(schemaName, "openAPIV3Schema"));
    case "subresources":
      return scaleErrors(version, path.child("subresources"));
    case "additionalPrinterColumns":
      return columnsErrors(version, path.child("additionalPrinterColumns"));
    case "selectableFields":
      return selectableFieldErrors(version, path.child("selectableFields"));
  }
}

function sharedErrors({ versions = [] }: Spec, isShared: (part: VersionPart) => boolean): FieldError[] {
  const [first] = versions;
  if (!first) return [];
  return versionParts.filter(isShared).flatMap((part) => partErrors(part, first, specPath, "validation"));
}

function schemaErrors(version: DefinitionVersion, path: FieldPath): FieldError[] {
  const schema = version.schema?.openAPIV3Schema;
  if (!schema) return [];
  const structural = structuralErrors(schema, path);
  const defaults = structural.length > 0 ? [] : defaultErrors(schema, path);
  const isSound = structural.length === 0 && defaults.length === 0;
  return [
    ...(schema.nullable ? [fieldError.forbidden(path.child("nullable"), "nullable cannot be true at the root")] : []),
    ...structural,
    ...defaults,
    ...schemaSupportErrors(schema, path),
    ...(isSound ? ruleDefinitionErrors(schema, path) : []),
  ];
}

function requiredNames(names: DefinitionNames): FieldError[] {
  const members = ["plural", "singular", "kind", "listKind"] as const;
  return members.filter((name) => !names[name]).map((name) => fieldError.required(specPath.child("names", name)));
}

function namesErrors(names: DefinitionNames, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const check = (at: FieldPath, name: string | undefined, prefix = ""): void => {
    const wrong = name ? isDns1035Label(prefix === "" ? name : name.toLowerCase()) : [];
    if (wrong.length > 0) errors.push(fieldError.invalid(at, name, prefix + wrong.join(",")));
  };
  const mixed = "may have mixed case, but should otherwise match: ";
  check(path.child("plural"), names.plural);
  check(path.child("singular"), names.singular);
  check(path.child("kind"), names.kind, mixed);
  check(path.child("listKind"), names.listKind, mixed);
  for (const [i, name] of (names.shortNames ?? []).entries()) check(path.child("shortNames").index(i), name);
  if (names.kind && names.kind === names.listKind)
    errors.push(fieldError.invalid(path.child("listKind"), names.listKind, "kind and listKind may not be the same"));
  for (const [i, name] of (names.categories ?? []).entries()) check(path.child("categories").index(i), name);
  return errors;
}

function storedVersionErrors({ spec, status }: CustomResourceDefinition): FieldError[] {
  const path = FieldPath.of("status", "storedVersions");
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) return [fieldError.invalid(path, null, "must have at least one stored version")];
  const versions = spec.versions ?? [];
  const errors: FieldError[] = versions
    .filter(({ storage, name }) => storage && !stored.includes(name))
    .map(({ name }) => fieldError.invalid(path, stored, `must have the storage version ${name}`));
  for (const [i, name] of stored.entries()) {
    if (versions.some((version) => version.name === name)) continue;
    const text = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(fieldError.invalid(path.index(i), name, text));
  }
  return errors;
}

const approval = "api-approved.kubernetes.io";

/** Returns an error if a CRD in a Kubernetes community group lacks a valid annotation about the API's approval. */
function approvalErrors({ spec, metadata }: CustomResourceDefinition): FieldError[] {
  const { group } = spec;
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group ?? "")) return [];
  const value = metadata.annotations?.[approval];
  if (value && (value.startsWith("unapproved") || URL.canParse(value))) return [];
  const path = FieldPath.of("metadata", "annotations").key(approval);
  if (!value)
    return [
      fieldError.required(
        path,
        `protected groups must have approval annotation "${approval}", see https://github.com/kubernetes/enhancements/pull/1111`,
      ),
    ];
  return [
    fieldError.invalid(
      path,
      value,
      `protected groups must have approval annotation "${approval}" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111`,
    ),
  ];
}
