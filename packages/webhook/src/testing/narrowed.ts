import type { StructuralSchema } from "@kubewright/apimachinery";

const numeric = {
  minimum: Math.max,
  maximum: Math.min,
  minLength: Math.max,
  maxLength: Math.min,
  minItems: Math.max,
  maxItems: Math.min,
  minProperties: Math.max,
  maxProperties: Math.min,
} as const;

/**
 * Returns a schema combined with a branch of its `allOf`, `anyOf` or `oneOf`. Most values generated for it are valid; all are checked
 * later.
 */
function narrowed(schema: StructuralSchema, branch: StructuralSchema): StructuralSchema {
  const result: StructuralSchema = { ...schema, ...branch };
  for (const [name, stricter] of Object.entries(numeric) as [keyof typeof numeric, typeof Math.max][]) {
    const [one, other] = [schema[name], branch[name]];
    if (one !== undefined && other !== undefined) result[name] = stricter(one, other);
  }
  const required = [...new Set([...(schema.required ?? []), ...(branch.required ?? [])])];
  if (required.length > 0) result.required = required;
  if (branch.properties) {
    const members = Object.entries(branch.properties).map(
      ([name, inner]) => [name, narrowed(schema.properties?.[name] ?? {}, inner)] as const,
    );
    result.properties = { ...schema.properties, ...Object.fromEntries(members) };
  }
  if (schema.items && branch.items) result.items = narrowed(schema.items, branch.items);
  return result;
}

/**
 * Splits a schema into alternatives that have no branches (such as `anyOf`) at the top level. Every value that the
 * schema accepts matches at least one of them.
 */
export function alternativesOf(schema: StructuralSchema): readonly StructuralSchema[] {
  const { allOf = [], anyOf, oneOf, not: _not, ...own } = schema;
  if (schema["x-kubernetes-int-or-string"]) return [own];
  const whole = allOf.reduce(narrowed, own);
  const some = anyOf ? anyOf.map((branch) => narrowed(whole, branch)) : [whole];
  return oneOf ? some.flatMap((each) => oneOf.map((branch) => narrowed(each, branch))) : some;
}
