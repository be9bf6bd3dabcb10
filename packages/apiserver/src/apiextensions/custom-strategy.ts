import { type FieldError, fieldError, isRecord, type KubeObject } from "@kubewright/apimachinery";
import type { KindStrategy, ScalePaths } from "../registry/strategy.ts";
import { applySchemaDefaults } from "./defaulting.ts";
import type { DefinitionVersion, JsonSchema, ScaleSubresource } from "./definition.ts";
import { embeddedResourceErrors } from "./embedded-resources.ts";
import { parseJsonPath } from "./json-path.ts";
import { duplicateItems } from "./list-uniqueness.ts";
import { columnsOf } from "./printer-columns.ts";
import { validateValue } from "./value-validation.ts";

/**
 * What the instances of one version of a definition are different in: their schema decides.
 *
 * @see apiextensions-apiserver pkg/registry/customresource customResourceStrategy
 */
export function customStrategy(version: DefinitionVersion): KindStrategy {
  const schema = version.schema?.openAPIV3Schema ?? {};
  const hasStatus = version.subresources?.status !== undefined;
  return {
    countsGeneration: true,
    hasStatus,
    allowUnconditionalUpdate: false,
    columns: columnsOf(version.additionalPrinterColumns),
    selectableFields: selectableFieldsOf(version),
    ownFieldLabels: false,
    ...(version.subresources?.scale ? { scale: scalePathsOf(version.subresources.scale) } : {}),
    applyDefaults: (object) => applySchemaDefaults(object, withoutMetadata(schema)),
    validate: (object) => schemaErrors(object, schema),
    validateUpdate: (object, old) => schemaErrors(object, schema, old),
    validateStatusUpdate: (object, old) => schemaErrors(object, schema, old),
  };
}

function schemaErrors(object: KubeObject, schema: JsonSchema, old?: Readonly<KubeObject>): FieldError[] {
  const errors = validateValue(object, schema, "", old);
  errors.push(...embeddedResourceErrors(object, schema, ""));
  errors.push(...duplicateItems(object, schema, ""));
  if (!hasRules(schema) || !errors.some(({ type }) => blocksRules.has(type))) return errors;
  const text =
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
  return [...errors, fieldError.invalid("<nil>", null, text)];
}

const blocksRules: ReadonlySet<string> = new Set([
  "FieldValueRequired",
  "FieldValueNotSupported",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

const knownRules = new WeakMap<JsonSchema, boolean>();

function hasRules(schema: JsonSchema): boolean {
  let has = knownRules.get(schema);
  if (has === undefined) {
    has =
      (schema["x-kubernetes-validations"]?.length ?? 0) > 0 ||
      [schema.items, ...Object.values(schema.properties ?? {}), schema.additionalProperties].some(
        (inner) => typeof inner === "object" && hasRules(inner),
      );
    knownRules.set(schema, has);
  }
  return has;
}

/** Metadata has no defaults of its own. */
function withoutMetadata(schema: JsonSchema): JsonSchema {
  const { metadata: _metadata, ...properties } = schema.properties ?? {};
  return { ...schema, properties };
}

function selectableFieldsOf(version: DefinitionVersion): Readonly<Record<string, (object: KubeObject) => string>> {
  const fields: Record<string, (object: KubeObject) => string> = {};
  for (const { jsonPath } of version.selectableFields ?? []) {
    const find = parseJsonPath(jsonPath);
    fields[jsonPath.replace(/^\./, "")] = (object) => {
      const [value] = find(object);
      return value === undefined || value === null || isRecord(value) ? "" : String(value);
    };
  }
  return fields;
}

function scalePathsOf(scale: ScaleSubresource): ScalePaths {
  const names = (path: string): string[] => path.split(".").filter((name) => name !== "");
  const selector = scale.labelSelectorPath ? parseJsonPath(scale.labelSelectorPath) : undefined;
  return {
    specReplicas: names(scale.specReplicasPath),
    statusReplicas: names(scale.statusReplicasPath),
    ...(selector ? { selector: (object) => String(selector(object)[0] ?? "") } : {}),
  };
}
