import {
  apiVersionOf,
  applySchemaDefaults,
  type DefinedKind,
  isRecord,
  type KubeObject,
  type StructuralSchema,
} from "@kubewright/apimachinery";
import fc from "fast-check";
import { schemaArbitrary } from "./schema-arbitrary.ts";

/**
 * Generates objects that a kind's schema accepts, with the defaults that the API server would set. Small objects come
 * first, and fast-check shrinks an object that fails. CEL rules are ignored; use `.filter` to exclude objects that
 * violate one.
 */
export function arbitraryOf<T extends KubeObject>(kind: DefinedKind<T>): fc.Arbitrary<T> {
  // `T` is derived from the schema.
  return objectsOf(kind, kind.version) as fc.Arbitrary<unknown> as fc.Arbitrary<T>;
}

/** Generates objects in any version of the kind's CRD. */
export function objectsOf(kind: DefinedKind, version: string): fc.Arbitrary<KubeObject> {
  const schema = schemaOf(kind, version);
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...properties } = schema.properties ?? {};
  const body = schemaArbitrary({ ...schema, properties }, "");
  return fc.tuple(metadataOf(kind), body).map(([metadata, value]) => {
    const object = { apiVersion: apiVersionOf({ ...kind, version }), kind: kind.kind, metadata };
    const whole = structuredClone({ ...object, ...(isRecord(value) ? value : {}) });
    applySchemaDefaults(whole, schema);
    return whole;
  });
}

/** Returns the schema of one of the kind's versions. @throws {Error} if the version does not exist */
export function schemaOf({ crd }: DefinedKind, version: string): StructuralSchema {
  const found = crd.spec.versions.find(({ name }) => name === version);
  if (!found) throw new Error(`${crd.metadata.name} has no version "${version}"`);
  return found.schema.openAPIV3Schema;
}

function metadataOf({ scope }: DefinedKind): fc.Arbitrary<KubeObject["metadata"]> {
  const name = fc.stringMatching(/^[a-z]([a-z0-9-]{0,8}[a-z0-9])?$/);
  const texts = fc.dictionary(name, name, { minKeys: 1, maxKeys: 2, noNullPrototype: true });
  const model = {
    name,
    ...(scope === "Namespaced" ? { namespace: fc.constantFrom("default", "web") } : {}),
    labels: texts,
    annotations: texts,
  };
  const requiredKeys: (keyof typeof model)[] = scope === "Namespaced" ? ["name", "namespace"] : ["name"];
  return fc.record(model, { requiredKeys, noNullPrototype: true }) as fc.Arbitrary<KubeObject["metadata"]>;
}
