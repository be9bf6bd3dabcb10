/**
 * A type of the expression language. `struct` and `opaque` types are identified by name. `param` is a type variable in
 * an overload, which is bound while an expression is checked.
 */
export type CelType =
  | { readonly kind: SimpleKind }
  | { readonly kind: "list"; readonly elem: CelType }
  | { readonly kind: "map"; readonly key: CelType; readonly value: CelType }
  | { readonly kind: "type"; readonly of?: CelType | undefined }
  | { readonly kind: "opaque"; readonly name: string; readonly params: readonly CelType[] }
  | { readonly kind: "struct"; readonly name: string }
  | { readonly kind: "param"; readonly name: string };

/** Kind of a type that has no parameters. */
export type SimpleKind =
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "null"
  | "timestamp"
  | "duration"
  | "dyn"
  | "error";

const simple = (kind: SimpleKind): CelType => ({ kind });

/** All simple types, and functions that create composite types. */
export const celType = {
  bool: simple("bool"),
  int: simple("int"),
  uint: simple("uint"),
  double: simple("double"),
  string: simple("string"),
  bytes: simple("bytes"),
  null: simple("null"),
  timestamp: simple("timestamp"),
  duration: simple("duration"),
  dyn: simple("dyn"),
  error: simple("error"),
  list: (elem: CelType): CelType => ({ kind: "list", elem }),
  map: (key: CelType, value: CelType): CelType => ({ kind: "map", key, value }),
  type: (of?: CelType): CelType => (of ? { kind: "type", of } : { kind: "type" }),
  opaque: (name: string, ...params: CelType[]): CelType => ({ kind: "opaque", name, params }),
  optional: (of: CelType): CelType => ({ kind: "opaque", name: "optional_type", params: [of] }),
  struct: (name: string): CelType => ({ kind: "struct", name }),
  param: (name: string): CelType => ({ kind: "param", name }),
} as const;

/** Returns the parameters of a type. */
export function paramsOf(type: CelType): readonly CelType[] {
  switch (type.kind) {
    case "list":
      return [type.elem];
    case "map":
      return [type.key, type.value];
    case "type":
      return type.of ? [type.of] : [];
    case "opaque":
      return type.params;
    default:
      return [];
  }
}

/** Returns a copy of a type with different parameters. The inverse of {@link paramsOf}. */
export function withParams(type: CelType, params: readonly CelType[]): CelType {
  const [first, second] = params;
  if (type.kind === "list" && first) return celType.list(first);
  if (type.kind === "map" && first && second) return celType.map(first, second);
  if (type.kind === "type" && first) return celType.type(first);
  if (type.kind === "opaque") return { ...type, params };
  return type;
}

/** Returns the name of a type as shown by `type(x)`. */
export function typeName(type: CelType): string {
  switch (type.kind) {
    case "null":
      return "null_type";
    case "timestamp":
      return "google.protobuf.Timestamp";
    case "duration":
      return "google.protobuf.Duration";
    case "opaque":
    case "struct":
    case "param":
      return type.name;
    default:
      return type.kind;
  }
}

/** Formats a type for messages, such as `map(string, list(int))`. */
export function formatType(type: CelType): string {
  if (type.kind === "error") return "!error!";
  if (type.kind === "opaque" || type.kind === "struct" || type.kind === "param") {
    const params = paramsOf(type);
    return params.length === 0 ? type.name : `${type.name}(${params.map(formatType).join(", ")})`;
  }
  const params = paramsOf(type);
  return params.length === 0 ? type.kind : `${type.kind}(${params.map(formatType).join(", ")})`;
}

/** Reports whether two types are equal, including their parameters. */
export function isSameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind) return false;
  if ("name" in a && "name" in b && a.name !== b.name) return false;
  const [left, right] = [paramsOf(a), paramsOf(b)];
  return left.length === right.length && left.every((part, i) => isSameType(part, right[i] ?? celType.error));
}

export const isDyn = (type: CelType): boolean => type.kind === "dyn";
export const isDynOrError = (type: CelType): boolean => type.kind === "dyn" || type.kind === "error";
const isOptionalType = (type: CelType): boolean => type.kind === "opaque" && type.name === "optional_type";

/** Returns the type within an optional type and `true`, or any other type unchanged and `false`. */
export function unwrapOptional(type: CelType): [CelType, boolean] {
  return isOptionalType(type) ? [paramsOf(type)[0] ?? celType.dyn, true] : [type, false];
}

/** Formats the types of a call's arguments for messages: `string.(int)`, `(string, int)`. */
export function formatSignature(types: readonly CelType[], isMember: boolean): string {
  const [first = "", ...rest] = types.map(formatType);
  return isMember ? `${first}.(${rest.join(", ")})` : `(${types.map(formatType).join(", ")})`;
}
