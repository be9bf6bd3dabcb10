import type {
  CustomResourceDefinitionManifest,
  CustomResourceDefinitionVersion,
} from "./definition/custom-resource-definition.ts";
import type { DefinedKind } from "./definition/define-kind.ts";
import { parseWithSchema } from "./definition/parse-object.ts";
import type { KubeObject } from "./object/object.ts";
import { toStructuralSchema } from "./schema/normalise.ts";
import type { SchemaType } from "./schema/schema-type.ts";
import type { StructuralSchema } from "./schema/structural-schema.ts";

/** The changes that {@link withDefinition} makes to a kind's CRD. */
export interface DefinitionAmendment<Schema> {
  /** JSON schema of the whole object. If it does not contain `spec` or `status`, the kind's own schema for that member remains. */
  readonly schema?: Schema | undefined;
  /** Additional members of the version, such as `deprecated`. */
  readonly version?: Partial<Omit<CustomResourceDefinitionVersion, "name" | "schema">> | undefined;
  /** Additional members of `spec.names`, such as `listKind`. */
  readonly names?: Partial<CustomResourceDefinitionManifest["spec"]["names"]> | undefined;
}

/**
 * Returns a copy of a kind whose CRD contains more than `defineKind` supports: members other than `spec` and `status`,
 * descriptions of members, and rules for the whole object. The copy has its own `crd` and `parse`. Only kinds with one
 * version are supported.
 *
 * @throws {SchemaError} if the schema has no structural form
 * @throws {Error} if the kind does not have exactly one version
 */
export function withDefinition<T extends KubeObject, Schema = unknown>(
  kind: DefinedKind<T>,
  amendment: DefinitionAmendment<Schema>,
): DefinedKind<T & (unknown extends Schema ? unknown : Omit<SchemaType<Schema>, "apiVersion" | "kind" | "metadata">)> {
  const { crd } = kind;
  const [version, ...others] = crd.spec.versions;
  if (!version || others.length > 0)
    throw new Error(
      `withDefinition ${kind.kind}: the kind has ${crd.spec.versions.length} versions; withDefinition supports kinds with one version only`,
    );
  const openAPIV3Schema = wholeSchema(version.schema.openAPIV3Schema, amendment.schema);
  const names = { ...crd.spec.names, ...amendment.names };
  const versions = [{ ...version, ...amendment.version, schema: { openAPIV3Schema } }];
  const { group, version: name, plural, scope } = kind;
  return {
    group,
    version: name,
    kind: kind.kind,
    plural,
    scope,
    crd: { ...crd, spec: { ...crd.spec, names, versions } },
    parse: (value) =>
      parseWithSchema<
        T & (unknown extends Schema ? unknown : Omit<SchemaType<Schema>, "apiVersion" | "kind" | "metadata">)
      >(value, kind, openAPIV3Schema),
  };
}

function wholeSchema(own: StructuralSchema, schema: unknown): StructuralSchema {
  if (schema === undefined) return own;
  const whole = toStructuralSchema(schema);
  const { spec, status } = own.properties ?? {};
  const properties = { ...(spec ? { spec } : {}), ...(status ? { status } : {}), ...whole.properties };
  return { ...whole, ...(Object.keys(properties).length > 0 ? { properties } : {}) };
}
