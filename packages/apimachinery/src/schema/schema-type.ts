declare const describedType: unique symbol;

/** JSON schema with the static type of its values, which is also recognized within typebox schemas. Created by {@link typedSchema}. */
export interface TypedSchema<T> {
  /** Never set at run time. */
  readonly [describedType]: T;
  /** Static type for typebox. Never set at run time. */
  readonly "~unsafe": T;
}

/** Adds a static type to a JSON schema that has none: `typedSchema<z.infer<typeof S>>(z.toJSONSchema(S))`. */
export function typedSchema<T>(schema: object): TypedSchema<T> {
  return schema as TypedSchema<T>;
}

type Flat<T> = { [K in keyof T]: T[K] } & {};

type PropertiesType<P> = Flat<
  { -readonly [K in keyof P as P[K] extends { "~optional": true } ? never : K]: SchemaType<P[K]> } & {
    -readonly [K in keyof P as P[K] extends { "~optional": true } ? K : never]?: SchemaType<P[K]>;
  }
>;

type UnionType<S> = S extends readonly [infer Head, ...infer Tail] ? SchemaType<Head> | UnionType<Tail> : never;
type IntersectionType<S> = S extends readonly [infer Head, ...infer Tail]
  ? SchemaType<Head> & IntersectionType<Tail>
  : unknown;
type TupleType<S> = S extends readonly [infer Head, ...infer Tail] ? [SchemaType<Head>, ...TupleType<Tail>] : [];

interface Scalars {
  String: string;
  Number: number;
  Integer: number;
  BigInt: number;
  Boolean: boolean;
  Null: null;
  Never: never;
}

/**
 * Type of the values that a schema describes. Supports {@link TypedSchema} and typebox schemas (version 1 by `~kind`, older versions by
 * `static`). The type is `unknown` for all other schemas.
 */
export type SchemaType<S> =
  S extends TypedSchema<infer T>
    ? T
    : S extends { "~unsafe": infer T }
      ? T
      : S extends { static: infer T }
        ? T
        : S extends { "~kind": infer K }
          ? K extends keyof Scalars
            ? Scalars[K]
            : S extends { "~kind": "Object"; properties: infer P }
              ? PropertiesType<P>
              : S extends { "~kind": "Array"; items: infer I }
                ? SchemaType<I>[]
                : S extends { "~kind": "Literal"; const: infer V }
                  ? V
                  : S extends { "~kind": "Enum"; enum: readonly (infer V)[] }
                    ? V
                    : S extends { "~kind": "Union"; anyOf: infer U }
                      ? UnionType<U>
                      : S extends { "~kind": "Intersect"; allOf: infer U }
                        ? Flat<IntersectionType<U>>
                        : S extends { "~kind": "Record"; patternProperties: infer P }
                          ? Record<string, SchemaType<P[keyof P]>>
                          : S extends { "~kind": "Tuple"; items: infer I }
                            ? TupleType<I>
                            : unknown
          : unknown;
