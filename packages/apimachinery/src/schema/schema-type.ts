declare const describedType: unique symbol;

/**
 * A JSON schema with the static type of its values, created by {@link typedSchema}. The type is also recognized when
 * the schema is part of a typebox schema.
 */
export interface TypedSchema<T> {
  /** Type of the values. This member is never set at run time. */
  readonly [describedType]: T;
  /** Type of the values, for typebox. This member is never set at run time. */
  readonly "~unsafe": T;
}

/** Adds a static type to a JSON schema that has none, as in `typedSchema<z.infer<typeof S>>(z.toJSONSchema(S))`. */
export function typedSchema<T>(schema: object): TypedSchema<T> {
  return schema as TypedSchema<T>;
}

/**
 * Type of the values that a schema describes. This works for {@link TypedSchema} and for typebox schemas (recognized by
 * `~kind` in version 1, and by `static` in older versions). For all other schemas, the type is `unknown`.
 */
export type SchemaType<S> =
  S extends TypedSchema<infer T>
    ? T
    : S extends { "~unsafe": infer T }
      ? T
      : S extends { static: infer T }
        ? T
        : S extends { "~kind": infer K }
          ? K extends "String"
            ? string
            : K extends "Number" | "Integer" | "BigInt"
              ? number
              : K extends "Boolean"
                ? boolean
                : K extends "Null"
                  ? null
                  : K extends "Never"
                    ? never
                    : S extends { "~kind": "Object"; properties: infer P }
                      ? {
                          -readonly [N in keyof P as P[N] extends { "~optional": true } ? never : N]: SchemaType<P[N]>;
                        } & {
                          -readonly [N in keyof P as P[N] extends { "~optional": true } ? N : never]?: SchemaType<P[N]>;
                        } extends infer O
                        ? { [N in keyof O]: O[N] }
                        : never
                      : S extends { "~kind": "Array"; items: infer I }
                        ? SchemaType<I>[]
                        : S extends { "~kind": "Literal"; const: infer V }
                          ? V
                          : S extends { "~kind": "Enum"; enum: readonly (infer V)[] }
                            ? V
                            : S extends { "~kind": "Union"; anyOf: infer U }
                              ? U extends readonly unknown[]
                                ? { [I in keyof U]: SchemaType<U[I]> }[number]
                                : never
                              : S extends { "~kind": "Intersect"; allOf: infer U }
                                ? (
                                    U extends readonly unknown[]
                                      ? { [I in keyof U]: (value: SchemaType<U[I]>) => void }[number]
                                      : never
                                  ) extends (value: infer O) => void
                                  ? { [N in keyof O]: O[N] }
                                  : never
                                : S extends { "~kind": "Record"; patternProperties: infer P }
                                  ? Record<string, SchemaType<P[keyof P]>>
                                  : S extends { "~kind": "Tuple"; items: infer I }
                                    ? { -readonly [N in keyof I]: SchemaType<I[N]> }
                                    : unknown
          : unknown;
