import {
  type FieldError,
  FieldPath,
  fieldError,
  fieldErrorMessage,
  isRecord,
  type KubeObject,
  ownMember,
  StatusError,
  setOwnMember,
} from "@kubewright/apimachinery";
import type { KindStrategy, ScalePaths } from "@kubewright/apiserver/registry";
import type { DefinitionVersion, JsonSchema, ScaleSubresource } from "../definition/definition.ts";
import { hasRules, RuleValidator } from "../rules/rule-evaluation.ts";
import { applySchemaDefaults, TooManyDefaults } from "../values/defaulting.ts";
import { embeddedResourceErrors } from "../values/embedded-resources.ts";
import { parseJsonPath } from "../values/json-path.ts";
import { duplicateItems } from "../values/list-uniqueness.ts";
import { columnsOf } from "../values/printer-columns.ts";
import { scaleSpecErrors, scaleStatusErrors } from "../values/scale-values.ts";
import { validateValue } from "../values/value-validation.ts";

/**
 * Returns the strategy for custom resources in one version of a CRD, derived from the version's schema.
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
    applyDefaults: (object) => applyDefaults(object, withoutMetadata(schema)),
    ...validations(schema, version.subresources?.scale),
  };
}

/** Fills in a schema's defaults. @throws {StatusError} 413 if there are too many defaults */
function applyDefaults(object: unknown, schema: JsonSchema): void {
  try {
    applySchemaDefaults(object, schema);
  } catch (error) {
    if (!(error instanceof TooManyDefaults)) throw error;
    throw new StatusError({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      reason: "RequestEntityTooLarge",
      message: `Request entity too large: ${error.message}`,
      code: 413,
    });
  }
}

type Validations = Pick<KindStrategy, "validate" | "validateUpdate" | "validateStatusUpdate" | "warningsOnUpdate">;

/** Returns functions that validate objects with a schema and its rules. The rules are compiled on the first write. */
function validations(schema: JsonSchema, scale: ScaleSubresource | undefined): Validations {
  let rules: RuleValidator | undefined;
  const warnings = new WeakMap<KubeObject, string[]>();
  const withRules = (errors: FieldError[], object: KubeObject, old?: Readonly<KubeObject>): FieldError[] => {
    if (!hasRules(schema)) return errors;
    if (errors.some(({ type }) => blocksRules.has(type)))
      return [...errors, fieldError.invalid("<nil>", null, unchecked)];
    rules ??= RuleValidator.of(schema, true);
    const found = rules?.validate(object, old, FieldPath.root);
    if (found && found.warnings.length > 0) warnings.set(object, found.warnings.map(fieldErrorMessage));
    return [...errors, ...(found?.errors ?? [])];
  };
  const whole = (object: KubeObject, old?: Readonly<KubeObject>): FieldError[] => [
    ...validateValue(object, schema, "", old),
    ...(scale ? [...scaleSpecErrors(object, scale), ...scaleStatusErrors(object, scale)] : []),
    ...embeddedResourceErrors(object, schema, ""),
    ...newDuplicates(object, schema, old),
  ];
  const status = (object: KubeObject, old: Readonly<KubeObject>): FieldError[] => [
    ...statusErrors(object, schema, old),
    ...(scale ? scaleStatusErrors(object, scale) : []),
    ...newDuplicates(object, schema, old),
  ];
  return {
    validate: (object) => withRules(whole(object), object),
    validateUpdate: (object, old) => withRules(whole(object, old), object, old),
    validateStatusUpdate: (object, old) => withRules(status(object, old), object, old),
    warningsOnUpdate: (object) => warnings.get(object) ?? [],
  };
}

/** Returns the errors for repeated list items, or none if the old object already contained repeated items. */
function newDuplicates(object: KubeObject, schema: JsonSchema, old?: Readonly<KubeObject>): FieldError[] {
  return old && duplicateItems(old, schema, "").length > 0 ? [] : duplicateItems(object, schema, "");
}

/**
 * Returns the errors in the status. Errors in other parts of the object are ignored, because a write to `/status` cannot
 * correct them.
 */
function statusErrors(object: KubeObject, schema: JsonSchema, old: Readonly<KubeObject>): FieldError[] {
  const [next, before] = [memberOf(object, "status"), memberOf(old, "status")];
  const statusSchema = schema.properties?.status;
  if (next === undefined || !statusSchema) return [];
  // only the status is validated, and upstream's messages do not name the root of the validated value
  return validateValue(next, statusSchema, "status", before).map((error) =>
    error.field === "status" ? { ...error, detail: error.detail.replace(/^status in body/, " in body") } : error,
  );
}

const memberOf = (object: unknown, name: string): unknown => (isRecord(object) ? ownMember(object, name) : undefined);

const unchecked =
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

const blocksRules: ReadonlySet<string> = new Set([
  "FieldValueRequired",
  "FieldValueNotSupported",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

/** Returns a schema without defaults for `metadata`, which cannot have any. */
function withoutMetadata(schema: JsonSchema): JsonSchema {
  const { metadata: _metadata, ...properties } = schema.properties ?? {};
  return { ...schema, properties };
}

function selectableFieldsOf(version: DefinitionVersion): Readonly<Record<string, (object: KubeObject) => string>> {
  const fields: Record<string, (object: KubeObject) => string> = {};
  for (const { jsonPath } of version.selectableFields ?? []) {
    const find = parseJsonPath(jsonPath);
    setOwnMember(fields, jsonPath.replace(/^\./, ""), (object) => {
      const [value] = find(object);
      return value === undefined || value === null || isRecord(value) ? "" : String(value);
    });
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
