import { apiVersionOf } from "../object/kind.ts";
import type { KubeObject } from "../object/object.ts";
import { SchemaError } from "../schema/normalise-context.ts";
import { sampleOfSchema } from "../schema/sample.ts";
import { isRecord } from "../value/json-value.ts";
import type { DefinedKind } from "./define-kind.ts";

/** Options for {@link sampleOf}. */
export interface SampleOptions {
  /**
   * Called for each required field for which no valid value was found. The sample then contains an invalid value of the field's type, and no
   * default values. Default: {@link sampleOf} throws the first of these errors.
   */
  readonly onProblem?: (error: SchemaError) => void;
}

/**
 * Returns a small valid object of a kind, as a starting point. The object contains the required fields, with examples
 * and defaults from the schema where available. It is named `example` and has no namespace. It has a status only if the
 * schema requires one. CEL rules are not evaluated.
 *
 * @throws {SchemaError} if no valid value was found for a required field. The message contains the field's path. To fix
 * this, add an example to the field's schema.
 */
export function sampleOf<T extends KubeObject>(kind: DefinedKind<T>, { onProblem }: SampleOptions = {}): T {
  const schema = kind.crd.spec.versions.find(({ name }) => name === kind.version)?.schema.openAPIV3Schema;
  if (!schema) throw new SchemaError("", `${kind.crd.metadata.name} has no version ${kind.version}`);
  // The schemas of other projects may also require these fields.
  const own = new Set(["apiVersion", "kind", "metadata"]);
  const required = schema.required?.filter((name) => !own.has(name)) ?? [];
  if (!required.includes("status")) own.add("status");
  const properties = Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([name]) => !own.has(name)));
  let isValid = true;
  const report =
    onProblem &&
    ((error: SchemaError) => {
      isValid = false;
      onProblem(error);
    });
  const body = sampleOfSchema({ ...schema, properties, required }, "", report);
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...fields } = isRecord(body) ? body : {};
  const object = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name: "example" }, ...fields };
  const sample: unknown = isValid ? kind.parse(object) : object;
  return sample as T; // the object was parsed, or its invalid fields were reported
}
