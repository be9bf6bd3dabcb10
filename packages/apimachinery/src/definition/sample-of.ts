import { apiVersionOf } from "../object/kind.ts";
import type { KubeObject } from "../object/object.ts";
import { SchemaError } from "../schema/normalise-context.ts";
import { sampleOfSchema } from "../schema/sample.ts";
import { isRecord } from "../value/json-value.ts";
import type { DefinedKind } from "./define-kind.ts";

/**
 * A small object of a kind, to start from: what the schema requires, with the schema's examples and defaults where it has them. It has
 * the name `example`, no namespace and no status. Rules in the Common Expression Language are not regarded.
 *
 * @throws {SchemaError} if a required field takes nothing that could be guessed; with its path: give its schema an example
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
