/** A piece of an OpenAPI v3 schema that knows the type of the values it describes. */
export interface Schema<T> {
  readonly type: "string" | "integer" | "boolean" | "array" | "object";
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly minItems?: number;
  readonly maxLength?: number;
  readonly items?: Schema<unknown>;
  readonly properties?: Readonly<Record<string, Schema<unknown>>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema<unknown>;
  /** Never there at run time; carries the type. */
  readonly static?: T;
}

/** The type of the values that a schema describes. */
export type ValueOf<S> = S extends Schema<infer T> ? T : never;

type Fields = Readonly<Record<string, Schema<unknown>>>;
type Flatten<T> = { [K in keyof T]: T[K] };
type ObjectValue<R extends Fields, O extends Fields> = Flatten<
  { [K in keyof R]: ValueOf<R[K]> } & { [K in keyof O]?: ValueOf<O[K]> }
>;

interface TextRules {
  readonly description?: string;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly format?: string;
}

export const text = (rules: TextRules = {}): Schema<string> => ({ type: "string", ...rules });

export const integer = (
  rules: { readonly minimum?: number; readonly format?: string; readonly description?: string } = {},
): Schema<number> => ({ type: "integer", ...rules });

export const boolean = (rules: { readonly description?: string } = {}): Schema<boolean> => ({
  type: "boolean",
  ...rules,
});

export const list = <T>(
  items: Schema<T>,
  rules: { readonly minItems?: number; readonly description?: string } = {},
): Schema<T[]> => ({ type: "array", items, ...rules });

export const mapOf = <T>(values: Schema<T>): Schema<Record<string, T>> => ({
  type: "object",
  additionalProperties: values,
});

/** An object: the fields that must be there, then those that may. */
export function object<R extends Fields, O extends Fields>(
  required: R,
  optional: O,
  description?: string,
): Schema<ObjectValue<R, O>> {
  const names = Object.keys(required).sort();
  return {
    type: "object",
    ...(description === undefined ? {} : { description }),
    properties: { ...required, ...optional },
    ...(names.length > 0 ? { required: names } : {}),
  };
}
