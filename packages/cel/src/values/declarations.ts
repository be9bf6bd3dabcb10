import { type CelType, celType } from "./type.ts";
import type { CelValue } from "./value.ts";

/** A signature of a function, and its implementation. */
export interface Overload {
  readonly id: string;
  /** True if the function is called as `target.name(...)`. The target is the first of `args`. */
  readonly isMember: boolean;
  readonly args: readonly CelType[];
  readonly result: CelType;
  /** Implementation of the overload. The passed values have the types in `args`, as far as types are known at run time. */
  readonly call: (...args: CelValue[]) => CelValue;
}

/** A function with its overloads. @see cel-go common/decls FunctionDecl */
export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

type Call = Overload["call"];

/**
 * Declares a member function, such as `member("charAt", "string_char_at_int", "string, int -> string", call)`. Types
 * are written as in messages; single capital letters are type variables.
 */
export function member(name: string, id: string, signature: string, call: Call): FunctionDeclaration {
  return { name, overloads: [{ id, isMember: true, ...parseSignature(signature), call }] };
}

/** Declares a function without a target. The arguments are the same as for {@link member}. */
export function global(name: string, id: string, signature: string, call: Call): FunctionDeclaration {
  return { name, overloads: [{ id, isMember: false, ...parseSignature(signature), call }] };
}

function parseSignature(signature: string): { args: CelType[]; result: CelType } {
  const [args = "", result = ""] = signature.split("->");
  return { args: splitTypes(args).map(parseType), result: parseType(result.trim()) };
}

function splitTypes(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i <= text.length; i++) {
    if (text[i] === "(") depth++;
    if (text[i] === ")") depth--;
    if (i < text.length && (text[i] !== "," || depth > 0)) continue;
    parts.push(text.slice(from, i).trim());
    from = i + 1;
  }
  return parts.filter((part) => part !== "");
}

const simpleTypes: ReadonlyMap<string, CelType> = new Map([
  ["bool", celType.bool],
  ["int", celType.int],
  ["uint", celType.uint],
  ["double", celType.double],
  ["string", celType.string],
  ["bytes", celType.bytes],
  ["null", celType.null],
  ["timestamp", celType.timestamp],
  ["duration", celType.duration],
  ["dyn", celType.dyn],
]);

function parseType(text: string): CelType {
  const simple = simpleTypes.get(text);
  if (simple) return simple;
  if (/^[A-Z]$/.test(text)) return celType.param(text);
  const [, name = text, inner] = /^([^(]+)\((.*)\)$/.exec(text) ?? [];
  const [first = celType.dyn, second = celType.dyn] = splitTypes(inner ?? "").map(parseType);
  switch (name) {
    case "list":
      return celType.list(first);
    case "map":
      return celType.map(first, second);
    case "optional":
      return celType.optional(first);
    case "type":
      return inner === undefined ? celType.type() : celType.type(first);
    default:
      // Kubernetes' own types: address types are opaque, and the others are objects without fields
      return name.startsWith("net.") ? celType.opaque(name) : celType.struct(name);
  }
}

/** Groups functions by name. Functions with the same name are overloads of one function. */
export function mergeFunctions(
  known: ReadonlyMap<string, FunctionDeclaration>,
  more: readonly FunctionDeclaration[],
): ReadonlyMap<string, FunctionDeclaration> {
  const merged = new Map(known);
  for (const { name, overloads } of more)
    merged.set(name, { name, overloads: [...(merged.get(name)?.overloads ?? []), ...overloads] });
  return merged;
}
