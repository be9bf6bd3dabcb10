import type { StructuralSchema } from "./structural-schema.ts";

/** A schema that Kubernetes has no structural form for. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
  /** Where in the schema, such as `spec.items[]`. */
  readonly path: string;

  constructor(path: string, problem: string) {
    super(`${path || "schema"}: ${problem}`);
    this.path = path;
  }
}

/** What the walk over a schema carries along. */
export interface NormaliseContext {
  readonly path: string;
  readonly definitions: Readonly<Record<string, unknown>>;
  /** References being resolved; one that comes again is recursive. */
  readonly open: readonly string[];
  /** One level of a schema within. */
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

/** What stands beside the type and means the same in both dialects. */
export function annotations(input: Readonly<Record<string, unknown>>): StructuralSchema {
  return Object.fromEntries(copied.filter((key) => input[key] !== undefined).map((key) => [key, input[key]]));
}
