import type { CustomResourceDefinitionManifest } from "../definition/custom-resource-definition.ts";
import type { DefinedKind } from "../definition/define-kind.ts";
import { type FieldError, fieldError } from "../error/field-error.ts";
import { FieldPath } from "../error/field-path.ts";
import type { KubeObject } from "../object/object.ts";
import type { StructuralSchema } from "../schema/structural-schema.ts";
import { isRecord, jsonEqual, ownMember } from "../value/json-value.ts";
import type { Spoke } from "./spoke.ts";

/**
 * Returns the reasons why the given kinds cannot be versions of one kind, or an empty list if they can. The errors
 * contain the argument names of `versions`.
 *
 * @see controller-runtime pkg/webhook/conversion NewHubSpokeConverter
 */
export function versionErrors<H extends KubeObject>(
  hub: DefinedKind<H>,
  spokes: readonly Spoke<H>[],
): readonly FieldError[] {
  const errors = spokes.flatMap(({ kind, conversion }, i) => {
    const at = FieldPath.of("spokes").index(i);
    const different = identityErrors(hub, kind, at);
    if (different.length > 0) return different;
    if (kind.version === hub.version)
      return [
        fieldError.invalid(
          at.child("version"),
          kind.version,
          "is the version of the hub; a spoke must have a different version",
        ),
      ];
    if (spokes.findIndex((other) => other.kind.version === kind.version) < i)
      return [fieldError.duplicate(at.child("version"), kind.version)];
    return [...nameErrors(hub.crd, kind.crd, at), ...(conversion ? [] : sameFieldErrors(hub, kind, at))];
  });
  if (hub.crd.spec.versions.length > 1)
    errors.push(fieldError.invalid("hub", hub.version, "must be a kind with one version, as returned by defineKind"));
  const served = [hub, ...spokes.map(({ kind }) => kind)].some(({ crd }) => crd.spec.versions[0]?.served);
  if (!served) errors.push(fieldError.invalid("served", false, "at least one version must be served"));
  return errors;
}

function identityErrors(hub: DefinedKind, kind: DefinedKind, at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ["group", "kind", "plural", "scope"] as const)
    if (kind[name] !== hub[name])
      errors.push(fieldError.invalid(at.child(name), kind[name], `must be the same as in the hub: ${hub[name]}`));
  if (kind.crd.spec.versions.length > 1)
    errors.push(fieldError.invalid(at, kind.version, "must be a kind with one version, as returned by defineKind"));
  return errors;
}

/**
 * Returns an error for each field that a CRD contains only once for all versions, if a spoke has a different value than the hub. The
 * spoke's value would be lost.
 */
function nameErrors(
  hub: CustomResourceDefinitionManifest,
  spoke: CustomResourceDefinitionManifest,
  at: FieldPath,
): FieldError[] {
  const sharedFields = (crd: CustomResourceDefinitionManifest): Record<string, unknown> => {
    const { singular, shortNames, categories } = crd.spec.names;
    const { labels, annotations } = crd.metadata;
    return { singular, shortNames, categories, labels, annotations };
  };
  const hubs = sharedFields(hub);
  return Object.entries(sharedFields(spoke))
    .filter(([name, value]) => value !== undefined && !jsonEqual(value, hubs[name]))
    .map(([name, value]) => {
      const wanted =
        hubs[name] === undefined
          ? "be absent, as in the hub"
          : `be the same as in the hub: ${JSON.stringify(hubs[name])}`;
      return fieldError.invalid(at.child(name), value, `all versions share this field: must ${wanted}`);
    });
}

function sameFieldErrors(hub: DefinedKind, spoke: DefinedKind, at: FieldPath): FieldError[] {
  const schemaOf = (kind: DefinedKind): StructuralSchema => kind.crd.spec.versions[0]?.schema.openAPIV3Schema ?? {};
  const path = differentField(schemaOf(hub), schemaOf(spoke), "");
  if (path === undefined) return [];
  const text = `requires toHub and fromHub, because ${path || "the object"} is different in ${hub.version}`;
  return [fieldError.invalid(at, spoke.version, text)];
}

/**
 * Returns the path of the first difference between two schemas: a field that only one of them contains, or that has
 * different types.
 */
function differentField(a: StructuralSchema, b: StructuralSchema, path: string): string | undefined {
  for (const name of ["type", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-int-or-string"] as const)
    if (a[name] !== b[name]) return path;
  const [own, others] = [a.properties ?? {}, b.properties ?? {}];
  for (const name of new Set([...Object.keys(own), ...Object.keys(others)])) {
    const at = path === "" ? name : `${path}.${name}`;
    const [one, other] = [ownMember(own, name), ownMember(others, name)];
    if (!one || !other) return at;
    const found = differentField(one, other, at);
    if (found !== undefined) return found;
  }
  if ((a.items === undefined) !== (b.items === undefined)) return path;
  const items = a.items && b.items ? differentField(a.items, b.items, `${path}[]`) : undefined;
  if (items !== undefined) return items;
  const [more, others_] = [a.additionalProperties, b.additionalProperties];
  if (isRecord(more) !== isRecord(others_)) return path;
  return isRecord(more) && isRecord(others_) ? differentField(more, others_, `${path}.*`) : undefined;
}
