import type { StructuralSchema } from "@kubewright/apimachinery";
import fc from "fast-check";

const name = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[a-z][A-Za-z0-9]{0,6}$/) },
  fc.constantFrom(
    "class",
    "a-b",
    "0x",
    "constructor",
    "toString",
    "__proto__",
    "default",
    "with space",
    '"',
    "é",
    "metadata",
  ),
);
const text = fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom("cron */5", "a\nb", "`$" + "{x}`", "\\", "\u2028"));
const count = fc.nat({ max: 20 });
const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(2 ** 63));

/** Generates objects with some of the given members. */
const some = (members: { readonly [K in keyof StructuralSchema]?: fc.Arbitrary<unknown> }): fc.Arbitrary<object> =>
  fc.record(members, { requiredKeys: [] });

const rules = fc.array(fc.record({ rule: fc.constant("self == self"), message: text }, { requiredKeys: ["rule"] }), {
  minLength: 1,
  maxLength: 2,
});
const annotations = {
  title: text,
  description: text,
  nullable: fc.constant(true),
  "x-kubernetes-validations": rules,
} as const;

const checks = fc.array(some({ minLength: count, minimum: number, required: fc.array(name, { minLength: 1 }) }), {
  minLength: 1,
  maxLength: 2,
});
const logic = { allOf: checks, anyOf: checks, oneOf: checks, not: some({ maxLength: count }) } as const;

const leaf = fc
  .oneof(
    fc.tuple(
      fc.constant({ type: "string" }),
      some({
        ...annotations,
        ...logic,
        format: fc.constantFrom("date-time", "int-or-string", "uri", "password"),
        minLength: count,
        maxLength: count,
        pattern: fc.constantFrom("^a*$", "[/\\\\]", "^(a|b)$"),
        enum: fc.uniqueArray(text, { minLength: 1, maxLength: 3 }),
        default: text,
        example: text,
      }),
    ),
    fc.tuple(
      fc.record({ type: fc.constantFrom("integer", "number") }),
      some({
        ...annotations,
        ...logic,
        format: fc.constantFrom("int32", "int64", "double"),
        minimum: number,
        exclusiveMinimum: fc.constant(true),
        maximum: number,
        exclusiveMaximum: fc.constant(true),
        multipleOf: fc.constantFrom(1, 0.5, 2),
        enum: fc.uniqueArray(fc.integer(), { minLength: 1, maxLength: 3 }),
        default: number,
      }),
    ),
    fc.tuple(fc.constant({ type: "boolean" }), some({ ...annotations, default: fc.boolean() })),
    fc.tuple(
      fc.constant({ "x-kubernetes-int-or-string": true }),
      some({
        ...annotations,
        anyOf: fc.constant([{ type: "integer" }, { type: "string" }]),
        pattern: fc.constant("^[0-9]+%?$"),
        default: fc.constantFrom(1, "50%"),
      }),
    ),
    fc.tuple(
      fc.constant({ "x-kubernetes-preserve-unknown-fields": true }),
      some({ ...annotations, default: fc.json().map((json) => JSON.parse(json)) }),
    ),
    fc.tuple(
      fc.constant({
        type: "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
      }),
      some(annotations),
    ),
  )
  .map(([type, more]) => ({ ...type, ...more }) as StructuralSchema);

const listOf = (node: fc.Arbitrary<StructuralSchema>): fc.Arbitrary<StructuralSchema> =>
  fc
    .tuple(
      node,
      some({
        ...annotations,
        minItems: count,
        maxItems: count,
        "x-kubernetes-list-type": fc.constantFrom("atomic", "set"),
        default: fc.constant([]),
      }),
    )
    .map(([items, more]) => ({ type: "array", items, ...more }) as StructuralSchema);

const mapOf = (node: fc.Arbitrary<StructuralSchema>): fc.Arbitrary<StructuralSchema> =>
  fc
    .tuple(
      fc.oneof({ weight: 4, arbitrary: node }, fc.constant(true)),
      some({ ...annotations, minProperties: count, maxProperties: count, default: fc.constant({}) }),
    )
    .map(([additionalProperties, more]) => ({ type: "object", additionalProperties, ...more }) as StructuralSchema);

/** Generates object schemas with properties, some of which are required. */
const objectOf = (node: fc.Arbitrary<StructuralSchema>): fc.Arbitrary<StructuralSchema> =>
  fc
    .tuple(
      fc.uniqueArray(fc.tuple(name, node, fc.boolean()), { minLength: 0, maxLength: 5, selector: ([key]) => key }),
      some({
        ...annotations,
        ...logic,
        maxProperties: count,
        "x-kubernetes-map-type": fc.constantFrom("granular", "atomic"),
        "x-kubernetes-preserve-unknown-fields": fc.constant(true),
        default: fc.constant({}),
      }),
      fc.boolean(),
    )
    .map(([members, more, isReversed]) => {
      const required = members.filter(([, , isRequired]) => isRequired).map(([key]) => key);
      const properties = Object.fromEntries(members.map(([key, schema]) => [key, schema]));
      return {
        type: "object",
        ...(members.length > 0 ? { properties } : {}),
        ...(required.length > 0 ? { required: isReversed ? required.reverse() : required } : {}),
        ...more,
      } as StructuralSchema;
    });

/** Generates structural schemas with all possible keywords. A server would not accept all of these schemas. */
export const structuralSchemas: fc.Arbitrary<StructuralSchema> = fc.letrec<{ node: StructuralSchema }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    leaf,
    listOf(tie("node")),
    mapOf(tie("node")),
    objectOf(tie("node")),
  ),
})).node;
