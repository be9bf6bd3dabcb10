import type { StructuralSchema } from "./structural-schema.ts";

/** Thrown if a schema cannot be converted to a structural schema. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
  /** Path of the part that cannot be converted, such as `spec.items[]`. */
  readonly path: string;

  constructor(path: string, problem: string) {
    super(`${path || "schema"}: ${problem}`);
    this.path = path;
  }
}

/** State of the conversion at one level of a schema. */
export interface NormaliseContext {
  readonly path: string;
  readonly definitions: Readonly<Record<string, unknown>>;
  /** References that are being resolved. A reference to one of them is recursive. */
  readonly open: readonly string[];
  /** Converts one nested schema. */
  readonly normalise: (input: unknown, context: NormaliseContext) => StructuralSchema;
}

const copied = [
  "title",
  "description",
  "default",
  "example",
  "format",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-validations",
] as const;

/**
 * Returns those keywords of a schema that do not depend on its type and have the same meaning in JSON Schema and in
 * structural schemas.
 */
export function annotations(input: Readonly<Record<string, unknown>>): StructuralSchema {
  return Object.fromEntries(copied.filter((key) => input[key] !== undefined).map((key) => [key, input[key]]));
}
