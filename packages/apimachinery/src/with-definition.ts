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

/** What a definition says beside what {@link withDefinition}'s kind says already. */
export interface DefinitionAmendment<Schema> {
  /** JSON schema of the whole object. `spec` and `status` are the kind's own, unless it names them. */
  readonly schema?: Schema | undefined;
  /** Members of the version, such as `deprecated`. */
  readonly version?: Partial<Omit<CustomResourceDefinitionVersion, "name" | "schema">> | undefined;
  /** Members of `spec.names`, such as `listKind`. */
  readonly names?: Partial<CustomResourceDefinitionManifest["spec"]["names"]> | undefined;
}

/** What a schema says of objects beside what every object has. */
type Members<Schema> = unknown extends Schema ? unknown : Beside<SchemaType<Schema>>;
type Beside<T> = { [K in keyof T as Exclude<K, "apiVersion" | "kind" | "metadata">]: T[K] };

/**
 * A kind whose definition says more than `defineKind` can: members of the object beside `spec` and `status`, what they are described
 * as, rules about the whole object. `crd` and `parse` go by it. Kinds with one version only.
 *
 * @throws {SchemaError} if the schema has no structural form
 */
export function withDefinition<T extends KubeObject, Schema = unknown>(
  kind: DefinedKind<T>,
  amendment: DefinitionAmendment<Schema>,
): DefinedKind<T & Members<Schema>> {
  const { crd } = kind;
  const [version, ...others] = crd.spec.versions;
  if (!version || others.length > 0)
    throw new Error(`withDefinition ${kind.kind}: it has ${crd.spec.versions.length} versions, one is wanted`);
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
    parse: (value) => parseWithSchema<T & Members<Schema>>(value, kind, openAPIV3Schema),
  };
}

function wholeSchema(own: StructuralSchema, schema: unknown): StructuralSchema {
  if (schema === undefined) return own;
  const whole = toStructuralSchema(schema);
  const { spec, status } = own.properties ?? {};
  const properties = { ...(spec ? { spec } : {}), ...(status ? { status } : {}), ...whole.properties };
  return { ...whole, ...(Object.keys(properties).length > 0 ? { properties } : {}) };
}
