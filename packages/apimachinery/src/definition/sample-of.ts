import { apiVersionOf } from "../object/kind.ts";
import type { KubeObject } from "../object/object.ts";
import { SchemaError } from "../schema/normalise-context.ts";
import { sampleOfSchema } from "../schema/sample.ts";
import { isRecord } from "../value/json-value.ts";
import type { DefinedKind } from "./define-kind.ts";

/**
 * Returns a small valid object of a kind, as a starting point. It contains the required fields, with the schema's examples and defaults
 * where available. Its name is `example`; it has no namespace and no status. CEL rules are not evaluated.
 *
 * @throws {SchemaError} if no valid value was found for a required field; the error contains the path of the field, to whose schema you can
 *   add an example
 */
export function sampleOf<T extends KubeObject>(kind: DefinedKind<T>): T {
  const schema = kind.crd.spec.versions.find(({ name }) => name === kind.version)?.schema.openAPIV3Schema;
  if (!schema) throw new SchemaError("", `${kind.crd.metadata.name} has no version ${kind.version}`);
  const {
    apiVersion: _apiVersion,
    kind: _kind,
    metadata: _metadata,
    status: _status,
    ...properties
  } = schema.properties ?? {};
  const body = sampleOfSchema({ ...schema, properties });
  return kind.parse({
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name: "example" },
    ...(isRecord(body) ? body : {}),
  });
}
