import { isRecord, stringifyJson } from "@kubewright/apimachinery";
import type { AnySchema, FieldSchema, ObjectSchema, TypeSchema } from "../schema/type-schema.ts";
import { scalarEncodings, type WriteValue } from "./protobuf-scalars.ts";
import { ProtobufWriter } from "./protobuf-writer.ts";

const writer = new ProtobufWriter();

/**
 * Encodes an object as kube-apiserver does, byte for byte: fields are sorted by number, values that are not pointers
 * are written even if they are zero, and maps are sorted by key. The inverse of `decodeMessage`.
 *
 * @param value JSON as Go serializes it for the type
 *
 * @see gogo/protobuf plugin/marshalto
 */
export function encodeMessage(value: unknown, schema: ObjectSchema): Buffer {
  writer.clear();
  planOf(schema).write(writer, isRecord(value) ? value : {});
  return writer.finish();
}

type Members = Readonly<Record<string, unknown>>;
/** Writes one field of a message, or nothing if the field is absent. */
type WriteField = (out: ProtobufWriter, members: Members) => void;

/** Encodes values of a type. The type's fields are resolved on first use, because types may be recursive. */
class MessagePlan {
  readonly #schema: ObjectSchema;
  #fields: readonly WriteField[] | undefined;

  constructor(schema: ObjectSchema) {
    this.#schema = schema;
  }

  write(out: ProtobufWriter, members: Members): void {
    this.#fields ??= fieldsOf(this.#schema);
    for (const field of this.#fields) field(out, members);
  }
}

const plans = new WeakMap<ObjectSchema, MessagePlan>();

function planOf(schema: ObjectSchema): MessagePlan {
  const type = schema.ofType ?? schema;
  let plan = plans.get(type);
  if (!plan) {
    plan = new MessagePlan(type);
    plans.set(type, plan);
  }
  return plan;
}

/** Returns the fields with the highest number first, because the writer writes backwards. */
function fieldsOf(schema: ObjectSchema): WriteField[] {
  const byNumber = new Map<number, WriteField>();
  for (const field of schema.fields.values()) {
    if (field.number === 0 || byNumber.has(field.number)) continue;
    byNumber.set(field.number, field.inlinedIn ? inlinedField(field.number, field.inlinedIn) : ownField(field));
  }
  return [...byNumber].sort(([a], [b]) => b - a).map(([, write]) => write);
}

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;
const none: Members = {};

/** Creates an encoder for an inlined field. In JSON, the members of such a field belong to the parent object. */
function inlinedField(number: number, parent: ObjectSchema): WriteField {
  const plan = planOf(parent);
  const tag = (number << 3) | 2;
  return (out, members) => {
    delimited(out, () => plan.write(out, members));
    out.varint(tag);
  };
}

function ownField(field: FieldSchema): WriteField {
  const { name, number, schema } = field;
  if (schema.type === "map") return mapField(name, number, schema.values);
  if (schema.type === "list" && !schema.isWrapped) return listField(name, number, schema.items);
  const { tag, write } = taggedValue(number, schema);
  const isOptional = field.pointer || isNilable(schema);
  return (out, members) => {
    const value = members[name];
    if (isOptional && isAbsent(value)) return;
    write(out, value);
    out.varint(tag);
  };
}

/** Reports whether a value is a Go slice, which is omitted if it is nil. */
const isNilable = (schema: TypeSchema): boolean =>
  schema.type === "list" || (schema.type === "scalar" && schema.scalar === "bytes");

function listField(name: string, number: number, items: TypeSchema): WriteField {
  const { tag, write } = taggedValue(number, items);
  return (out, members) => {
    const list = members[name];
    if (!Array.isArray(list)) return;
    for (let index = list.length - 1; index >= 0; index--) {
      write(out, list[index]);
      out.varint(tag);
    }
  };
}

function mapField(name: string, number: number, values: TypeSchema): WriteField {
  const outer = (number << 3) | 2;
  const writeKey = scalarEncodings.string.write;
  const { tag, write } = taggedValue(2, values);
  const mayBeNil = values.type === "scalar" && values.scalar === "bytes";
  return (out, members) => {
    const map = members[name];
    if (!isRecord(map)) return;
    const keys = Object.keys(map).sort(byUtf8);
    for (let index = keys.length - 1; index >= 0; index--) {
      const key = keys[index] ?? "";
      const value = map[key];
      const before = out.length;
      if (!(mayBeNil && isAbsent(value))) {
        write(out, value);
        out.varint(tag);
      }
      writeKey(out, key);
      out.varint(0x0a);
      out.varint(out.length - before);
      out.varint(outer);
    }
  };
}

const surrogate = /[\ud800-\udfff]/;

/** Compares strings by UTF-8 bytes, as Go does. JavaScript's own order, by UTF-16 code units, differs for surrogates. */
const byUtf8 = (a: string, b: string): number =>
  surrogate.test(a) || surrogate.test(b) ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : a < b ? -1 : a > b ? 1 : 0;

interface TaggedValue {
  readonly tag: number;
  readonly write: WriteValue;
}

function taggedValue(number: number, schema: TypeSchema): TaggedValue {
  if (schema.type === "scalar") {
    const { wireType, write } = scalarEncodings[schema.scalar];
    return { tag: (number << 3) | wireType, write };
  }
  const content = contentOf(schema);
  return { tag: (number << 3) | 2, write: (out, value) => delimited(out, () => content(out, value)) };
}

/** Returns the encoder for the content of a nested message. */
function contentOf(schema: TypeSchema): WriteValue {
  switch (schema.type) {
    case "object": {
      const plan = planOf(schema);
      return (out, value) => plan.write(out, isRecord(value) ? value : none);
    }
    case "any":
      return (out, value) => writeJson(out, value, schema);
    case "list": {
      const field = listField("", 1, schema.items);
      return (out, value) => field(out, { "": value });
    }
    case "either":
      return eitherOf(schema);
    default:
      throw new Error(`no message for a ${schema.type}`);
  }
}

/**
 * Returns the encoder for a value of several possible types. `JSONSchemaPropsOrBool` starts with the flag that allows any value, and the
 * other types start with the schema.
 */
function eitherOf({ name, object, other }: TypeSchema & { type: "either" }): WriteValue {
  if (other.type === "list") {
    const one = taggedValue(1, object);
    const many = listField("", 2, other.items);
    return (out, value) => {
      if (Array.isArray(value)) many(out, { "": value });
      else if (!isAbsent(value)) {
        one.write(out, value);
        out.varint(one.tag);
      }
    };
  }
  if (name !== "JSONSchemaPropsOrBool") throw new Error(`no known message for ${name}`);
  const schema = taggedValue(2, object);
  return (out, value) => {
    if (isRecord(value)) {
      schema.write(out, value);
      out.varint(schema.tag);
    }
    out.varint(isRecord(value) || value === true ? 1 : 0);
    out.varint(0x08);
  };
}

/** Writes a `RawExtension`, `JSON` or `FieldsV1`: a message whose field 1 contains JSON text. */
function writeJson(out: ProtobufWriter, value: unknown, { name }: AnySchema): void {
  if (isAbsent(value)) return;
  delimited(out, () => out.text(name === "JSON" ? goJson(value) : stringifyJson(value)));
  out.varint(0x0a);
}

/** Formats a value as Go does after decoding it: members are sorted, and HTML characters are escaped. */
function goJson(value: unknown): string {
  return stringifyJson(sorted(value)).replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => byUtf8(a, b));
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]));
}

function delimited(out: ProtobufWriter, write: () => void): void {
  const before = out.length;
  write();
  out.varint(out.length - before);
}
