import type { StructuralSchema } from "./structural-schema.ts";

/** The schema cannot be converted to a structural schema. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
  /** Path in the schema, such as `spec.items[]`. */
  readonly path: string;

  constructor(path: string, problem: string) {
    super(`${path || "schema"}: ${problem}`);
    this.path = path;
  }
}

/** The conversion's state at one level of a schema. */
export interface NormaliseContext {
  readonly path: string;
  readonly definitions: Readonly<Record<string, unknown>>;
  /** References that are being resolved. A reference that is among them is recursive. */
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

/** Returns the keywords that have the same meaning in JSON Schema and in structural schemas, and that are independent of the type. */
export function annotations(input: Readonly<Record<string, unknown>>): StructuralSchema {
  return Object.fromEntries(copied.filter((key) => input[key] !== undefined).map((key) => [key, input[key]]));
}
