import { aggregateFieldErrors, type FieldError } from "../error/field-error.ts";
import { FieldPath } from "../error/field-path.ts";
import type { Kind, Scope } from "../object/kind.ts";
import type { KubeObject, ObjectMeta } from "../object/object.ts";
import { pluralOf } from "../object/rest-mapper.ts";
import { definitionSchemaErrors } from "../schema/definition-schema-errors.ts";
import { toStructuralSchema } from "../schema/normalise.ts";
import type { SchemaType } from "../schema/schema-type.ts";
import type { StructuralSchema } from "../schema/structural-schema.ts";
import type {
  CustomResourceDefinitionManifest,
  CustomResourceDefinitionVersion,
} from "./custom-resource-definition.ts";
import { definitionErrors } from "./definition-errors.ts";
import { deprecationWarning } from "./deprecation.ts";
import type { KindDefinition } from "./kind-definition.ts";
import { kindRuleErrors, withKindRules } from "./kind-rules.ts";
import { parseWithSchema } from "./parse-object.ts";

/**
 * Object type of a kind whose `spec` and `status` have the given schemas. A field without a schema is absent from the
 * type.
 */
export type DefinedObject<Spec, Status, SpecRequired extends boolean = true> = {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
} & (unknown extends Spec
  ? unknown
  : SpecRequired extends true
    ? { spec: SchemaType<Spec> }
    : { spec?: SchemaType<Spec> }) &
  (unknown extends Status ? unknown : { status?: SchemaType<Status> });

/** A kind with its CustomResourceDefinition and validation. */
export interface DefinedKind<T extends KubeObject = KubeObject> extends Kind<T> {
  readonly plural: string;
  readonly scope: Scope;
  /** CustomResourceDefinition of the kind. */
  readonly crd: CustomResourceDefinitionManifest;
  /**
   * Returns a copy of a value that is pruned, defaulted and validated, as the API server does on creation: fields that are not in the
   * schema are removed, and defaults are added. CEL rules are not evaluated.
   *
   * @throws {StatusError} 400 if the value is not an object of this kind, 422 with all field errors if it is not valid
   */
  parse(value: unknown): T;
}

/**
 * Declares a kind. The TypeScript type, the CustomResourceDefinition and the validation are derived from one schema.
 *
 * @throws {SchemaError} if a schema cannot be converted to a structural schema
 * @throws {Error} if the API server would reject the definition for another reason that can be detected locally. The
 *   message lists each field with its value and what is expected.
 */
export function defineKind<Spec = unknown, Status = unknown, SpecRequired extends boolean = true>(
  definition: KindDefinition<Spec, Status, SpecRequired>,
): DefinedKind<DefinedObject<Spec, Status, SpecRequired>> {
  const { group, version, kind, scope, plural = pluralOf(definition.kind) } = definition;
  const fields = objectSchema(definition);
  const errors = [
    ...definitionErrors(definition, plural, fields),
    ...schemaErrors(fields),
    ...kindRuleErrors(definition.rules ?? {}, fields),
  ];
  if (errors.length > 0) throw new Error(`defineKind ${kind}: ${aggregateFieldErrors(errors)}`);
  const schema = withKindRules(fields, definition.rules ?? {});
  const defined: Omit<DefinedKind<DefinedObject<Spec, Status, SpecRequired>>, "parse"> = {
    group,
    version,
    kind,
    plural,
    scope,
    crd: crdOf(definition, plural, schema),
  };
  return {
    ...defined,
    parse: (value) => parseWithSchema<DefinedObject<Spec, Status, SpecRequired>>(value, defined, schema),
  };
}

/** Returns the errors in the schemas of a definition: the schemas of `spec` and `status`. */
function schemaErrors({ properties = {} }: StructuralSchema): FieldError[] {
  const { spec, status } = properties;
  return [
    ...(spec ? definitionSchemaErrors(spec, FieldPath.of("spec")) : []),
    ...(status ? definitionSchemaErrors(status, FieldPath.of("status")) : []),
  ];
}

function objectSchema(definition: KindDefinition<unknown, unknown>): StructuralSchema {
  const { spec, specRequired = true, status, description, preserveUnknownFields } = definition;
  const properties: Record<string, StructuralSchema> = {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: { type: "object" },
  };
  if (spec !== undefined) properties.spec = toStructuralSchema(spec, "spec");
  if (status !== undefined) properties.status = toStructuralSchema(status, "status");
  const specNeeded = specRequired && properties.spec !== undefined && properties.spec.default === undefined;
  return {
    type: "object",
    ...(description === undefined ? {} : { description }),
    properties,
    ...(specNeeded ? { required: ["spec"] } : {}),
    ...(preserveUnknownFields ? { "x-kubernetes-preserve-unknown-fields": true } : {}),
  };
}

function crdOf(
  definition: KindDefinition<unknown, unknown>,
  plural: string,
  schema: StructuralSchema,
): CustomResourceDefinitionManifest {
  const { group, kind, scope, shortNames, categories, labels, annotations } = definition;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.${group}`,
      ...(labels ? { labels: { ...labels } } : {}),
      ...(annotations ? { annotations: { ...annotations } } : {}),
    },
    spec: {
      group,
      scope,
      names: {
        plural,
        singular: definition.singular ?? kind.toLowerCase(),
        kind,
        listKind: `${kind}List`,
        ...(shortNames?.length ? { shortNames: [...shortNames] } : {}),
        ...(categories?.length ? { categories: [...categories] } : {}),
      },
      versions: [versionOf(definition, schema)],
    },
  };
}

function versionOf(
  definition: KindDefinition<unknown, unknown>,
  schema: StructuralSchema,
): CustomResourceDefinitionVersion {
  const { version, status, scale, columns, selectableFields, deprecated = false, served = true } = definition;
  const warning = deprecationWarning(definition);
  const subresources = { ...(status === undefined ? {} : { status: {} }), ...(scale ? { scale } : {}) };
  return {
    name: version,
    served,
    storage: true,
    ...(deprecated === false ? {} : { deprecated: true }),
    ...(warning === undefined ? {} : { deprecationWarning: warning }),
    schema: { openAPIV3Schema: schema },
    ...(Object.keys(subresources).length > 0 ? { subresources } : {}),
    ...(columns?.length ? { additionalPrinterColumns: [...columns] } : {}),
    ...(selectableFields?.length ? { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) } : {}),
  };
}
