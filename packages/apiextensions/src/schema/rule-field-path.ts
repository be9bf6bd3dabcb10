import { FieldPath, ownMember } from "@kubewright/apimachinery";
import type { JsonSchema } from "../definition/definition.ts";

/** Thrown if a rule's `fieldPath` does not exist in the schema. The message contains the reason. */
export class InvalidFieldPath extends Error {
  override readonly name = "InvalidFieldPath";
}

const escapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "'": "'",
  "\\": "\\",
};

/** Splits a path at `.`, `[` and `]`, except within single quotes. */
const pieces = (path: string): string[] => path.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]']+|'/g) ?? [];

/**
 * Follows a path of names (`.spec.color`, `.labels['x']`) through a schema.
 *
 * @returns the path in the form used in errors, and the schema at this path
 *
 * @throws {InvalidFieldPath} if the path does not exist in the schema
 * @see apiextensions-apiserver pkg/apiserver/schema/cel ValidFieldPath
 */
export function followFieldPath(
  text: string,
  schema: JsonSchema,
  { allowKeys = true }: { readonly allowKeys?: boolean } = {},
): { path: FieldPath; schema: JsonSchema } {
  let path = FieldPath.root;
  let here: JsonSchema = schema;
  const rest = pieces(text);
  const next = (): string => {
    const piece = rest.shift();
    if (piece === undefined) throw new InvalidFieldPath("unexpected end of JSON path");
    return piece;
  };
  const enter = (name: string): void => {
    const extra = here.additionalProperties;
    const isNamed = here.properties !== undefined;
    const inner = isNamed ? ownMember(here.properties, name) : typeof extra === "object" ? extra : undefined;
    if (!inner) throw new InvalidFieldPath("does not refer to a valid field");
    path = isNamed ? path.child(name) : path.key(name);
    here = inner;
  };
  while (rest.length > 0) {
    const piece = next();
    if (piece === ".") enter(next());
    else if (piece === "[") {
      if (!allowKeys) throw new InvalidFieldPath("array notation is not allowed");
      const quoted = next();
      if (quoted.length < 2 || !quoted.startsWith("'") || !quoted.endsWith("'"))
        throw new InvalidFieldPath(`expected single quoted string but got ${quoted}`);
      enter(unescaped(quoted.slice(1, -1)));
      const close = next();
      if (close !== "]") throw new InvalidFieldPath(`expected ] but got ${close}`);
    } else throw new InvalidFieldPath(`expected [ or . but got: ${piece}`);
  }
  return { path, schema: here };
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, (whole, char: string) => {
    const meant = escapes[char];
    if (meant === undefined) throw new InvalidFieldPath(`invalid string literal: invalid escape char ${whole}`);
    return meant;
  });
}
