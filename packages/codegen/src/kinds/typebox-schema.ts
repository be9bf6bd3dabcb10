import { isRecord, jsonEqual, type StructuralSchema, toStructuralSchema } from "@kubewright/apimachinery";
import { bracketed, keyText, literal } from "../text/literal.ts";
import { inlineType } from "./inline-type.ts";

/** A typebox expression and the JSON schema that it creates. */
export interface TypeboxSchema {
  readonly text: string;
  readonly json: Record<string, unknown>;
}

const keptRequired = "x-kubewright-required";
const verbatim = "x-kubewright-verbatim";

/**
 * Returns a typebox expression from which `toStructuralSchema` reproduces the schema exactly. If typebox has no equivalent, or if
 * normalization would change the schema, the expression is a `Type.Unsafe` with the schema itself.
 *
 * @param indent indentation of the line on which the text begins
 */
export function typeboxSchema(schema: StructuralSchema, indent = "", extra: object = {}): TypeboxSchema {
  const inWords = schema.nullable ? nullable(schema, indent, extra) : words(schema, indent, extra);
  if (inWords && givesBack(inWords.json, schema)) return inWords;
  const plain = unsafe({ ...schema, ...extra }, schema, indent);
  if (givesBack(plain.json, schema)) return plain;
  return unsafe({ ...schema, [verbatim]: true, ...extra }, schema, indent);
}

function givesBack(json: unknown, schema: StructuralSchema): boolean {
  try {
    return jsonEqual(toStructuralSchema(json), schema);
  } catch {
    return false; // typebox cannot express this schema
  }
}

function unsafe(json: Record<string, unknown>, schema: StructuralSchema, indent: string): TypeboxSchema {
  return { text: `Type.Unsafe<${inlineType(schema)}>(${literal(json, indent)})`, json };
}

function nullable({ nullable: _, ...schema }: StructuralSchema, indent: string, extra: object): TypeboxSchema {
  const inner = typeboxSchema(schema, indent);
  const options = Object.keys(extra).length > 0 ? `, ${literal(extra, indent)}` : "";
  return {
    text: `Type.Union([${inner.text}, Type.Null()]${options})`,
    json: { anyOf: [inner.json, { type: "null" }], ...extra },
  };
}

/** Returns the equivalent of a schema in typebox, or undefined if there is none. */
function words(schema: StructuralSchema, indent: string, extra: object): TypeboxSchema | undefined {
  const { type, enum: values, properties, required, items, additionalProperties, ...others } = schema;
  if (schema["x-kubernetes-int-or-string"]) return undefined;
  const rest = withNumericBounds(others);
  if (!rest) return undefined;
  const options = { ...rest, ...extra };
  const call = (
    name: string,
    first: TypeboxSchema | undefined,
    json: Record<string, unknown>,
    more: object = options,
  ) => {
    const given = Object.keys(more).length > 0 ? [literal(more, indent)] : [];
    const text = `Type.${name}(${[...(first ? [first.text] : []), ...given].join(", ")})`;
    return { text, json: { ...json, ...more } };
  };
  if (values) {
    const names = values.filter((value) => typeof value === "string");
    if (type !== "string" || names.length < values.length || properties || items) return undefined;
    return call("Enum", { text: literal(values, indent), json: {} }, { enum: values });
  }
  switch (type) {
    case "string":
    case "integer":
    case "number":
    case "boolean":
      return call(type.charAt(0).toUpperCase() + type.slice(1), undefined, { type });
    case "array": {
      if (!items) return undefined;
      const inner = typeboxSchema(items, indent);
      return call("Array", inner, { type, items: inner.json });
    }
    case "object":
      if (isRecord(additionalProperties) && !properties && !required) {
        const inner = typeboxSchema(additionalProperties as StructuralSchema, indent);
        const first = { text: `Type.String(), ${inner.text}`, json: {} };
        return call("Record", first, { type, patternProperties: { "^.*$": inner.json } });
      }
      // For an open type without properties, the schema itself is clearer.
      if (!properties || additionalProperties !== undefined) return undefined;
      return object(schema, properties, options, indent, call);
    default:
      return undefined;
  }
}

/** Converts exclusive bounds from CRDs' notation, in which they are booleans, to typebox's. Returns undefined if there is no bound. */
function withNumericBounds(schema: StructuralSchema): object | undefined {
  const { exclusiveMinimum, exclusiveMaximum, minimum, maximum } = schema;
  if ((exclusiveMinimum && minimum === undefined) || (exclusiveMaximum && maximum === undefined)) return undefined;
  const members = Object.entries(schema).flatMap(([name, value]) => {
    if (name === "minimum" && exclusiveMinimum) return [["exclusiveMinimum", value]];
    if (name === "maximum" && exclusiveMaximum) return [["exclusiveMaximum", value]];
    return (name === "exclusiveMinimum" || name === "exclusiveMaximum") && value === true ? [] : [[name, value]];
  });
  return Object.fromEntries(members);
}

type Call = (name: string, first: TypeboxSchema, json: Record<string, unknown>, more: object) => TypeboxSchema;

function object(
  schema: StructuralSchema,
  properties: Readonly<Record<string, StructuralSchema>>,
  options: object,
  indent: string,
  call: Call,
): TypeboxSchema | undefined {
  if (Object.hasOwn(properties, "__proto__")) return undefined; // assigning to this name would set the prototype
  const { required = [] } = schema;
  const needed = new Set(required);
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, property]) => {
    const isRequired = needed.has(name);
    const extra = isRequired && property.default !== undefined ? { [keptRequired]: true } : {};
    const { text, json } = typeboxSchema(property, inner, extra);
    return { name, isRequired, json, text: isRequired ? text : `Type.Optional(${text})` };
  });
  const own = members.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  // TypeBox lists required properties in the order in which they are defined.
  const more = jsonEqual(own, required) ? options : { ...options, required };
  const texts = members.map(({ name, text }) => `${keyText(name)}: ${text}`);
  const first = { text: bracketed("{", texts, "}", indent), json: {} };
  const named = Object.fromEntries(members.map(({ name, json }) => [name, json]));
  return call(
    "Object",
    first,
    { type: "object", ...(own.length > 0 ? { required: own } : {}), properties: named },
    more,
  );
}
