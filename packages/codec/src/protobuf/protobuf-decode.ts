import { formatGoDuration, isRecord, Quantity, QuantityError, setOwnMember } from "@kubewright/apimachinery";
import { readJsonText, UnreadableTextError } from "../body/read-body.ts";
import { maxDepth } from "../json/depth.ts";
import { maxValues, tooManyValues } from "../json/value-count.ts";
import type { FieldSchema, ObjectSchema, ScalarName, TypeSchema } from "../schema/type-schema.ts";
import { ProtobufError, type WireField, wireFields } from "./protobuf-reader.ts";

/** The four bytes at the start of every protobuf body: `k8s\0`. */
export const magic: Buffer = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** Protobuf message of the object itself. */
  readonly raw: Buffer;
}

/**
 * Splits a body into the object's type and bytes.
 *
 * @throws {ProtobufError} if the bytes are not valid
 *
 * @see apimachinery pkg/runtime/serializer/protobuf
 */
export function readEnvelope(body: Buffer): Envelope {
  if (body.length < 4 || !body.subarray(0, 4).equals(magic))
    throw new ProtobufError("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  if (body.length === 4) throw new ProtobufError("empty body");
  let apiVersion = "";
  let kind = "";
  let raw: Buffer = Buffer.alloc(0);
  for (const field of wireFields(body.subarray(4))) {
    if (field.number === 1) {
      for (const part of wireFields(field.bytes)) {
        if (part.number === 1) apiVersion = part.bytes.toString();
        else if (part.number === 2) kind = part.bytes.toString();
      }
    } else if (field.number === 2) raw = field.bytes;
  }
  return { apiVersion, kind, raw };
}

/**
 * Decodes a message to the JSON that upstream would print for it. Skips fields with unknown numbers.
 *
 * @param levels maximum nesting of messages
 *
 * @throws {ProtobufError} if the bytes are not valid
 */
export function decodeMessage(message: Buffer, schema: ObjectSchema, levels = maxDepth): Record<string, unknown> {
  if (levels === 0) throw new ProtobufError("exceeded max depth");
  const result: Record<string, unknown> = {};
  const { own, inlined } = numberedFields(schema);
  for (const wire of wireFields(message)) {
    const parent = inlined.get(wire.number);
    if (parent) {
      Object.assign(result, decodeMessage(wire.bytes, parent, levels - 1));
      continue;
    }
    const field = own.get(wire.number);
    if (field) setField(result, field, wire, levels - 1);
  }
  return result;
}

interface NumberedFields {
  readonly own: ReadonlyMap<number, FieldSchema>;
  /** Types of the messages whose fields are members of the object itself. */
  readonly inlined: ReadonlyMap<number, ObjectSchema>;
}

/** Remembered per type, because a body may contain a million empty messages. */
const numbered = new WeakMap<ObjectSchema, NumberedFields>();

function numberedFields(schema: ObjectSchema): NumberedFields {
  const known = numbered.get(schema);
  if (known) return known;
  const own = new Map<number, FieldSchema>();
  const inlined = new Map<number, ObjectSchema>();
  for (const field of schema.fields.values()) {
    if (field.inlinedIn) inlined.set(field.number, field.inlinedIn);
    else if (field.number > 0) own.set(field.number, field);
  }
  const fields = { own, inlined };
  numbered.set(schema, fields);
  return fields;
}

function setField(result: Record<string, unknown>, field: FieldSchema, wire: WireField, levels: number): void {
  const { schema, name } = field;
  if (schema.type === "list" && !isWrapped(schema)) {
    const list = Array.isArray(result[name]) ? result[name] : [];
    if (schema.items.type === "scalar" && wire.wireType === 2 && isVarint(schema.items.scalar))
      for (const item of packed(wire.bytes, schema.items.scalar)) addItem(list, item);
    else addItem(list, decodeValue(wire, schema.items, levels));
    result[name] = list;
  } else if (schema.type === "map") {
    const map = isRecord(result[name]) ? result[name] : {};
    setMapEntry(map, wire.bytes, schema.values, levels);
    result[name] = map;
  } else {
    const value = decodeValue(wire, schema, levels);
    if (value !== undefined && !(isZero(value, schema) && !field.pointer && !field.alwaysPrinted)) result[name] = value;
  }
}

/** Adds an item to a list. @throws {StatusError} 413 if the list then has more values than an object may have */
function addItem(list: unknown[], item: unknown): void {
  list.push(item);
  if (list.length > maxValues) throw tooManyValues();
}

const isVarint = (name: ScalarName): boolean => ["int32", "int64", "uint8", "bool"].includes(name);

/** Reports whether a list is encoded as a separate message with one repeated field, as `ExtraValue` and `Verbs` are. */
const isWrapped = (schema: TypeSchema): boolean => schema.type === "list" && schema.isWrapped === true;

function* packed(bytes: Buffer, scalar: ScalarName): Generator<unknown> {
  // the bytes are varints without tags, so add a tag before each of them and read it as a field
  let start = 0;
  for (let at = 0; at < bytes.length; at++) {
    if ((bytes[at] ?? 0) >= 0x80) continue;
    const one = Buffer.concat([Buffer.from([0x08]), bytes.subarray(start, at + 1)]);
    for (const field of wireFields(one)) yield decodeScalarField(field, scalar);
    start = at + 1;
  }
}

function setMapEntry(map: Record<string, unknown>, entry: Buffer, values: TypeSchema, levels: number): void {
  let key = "";
  let value: unknown;
  for (const field of wireFields(entry)) {
    if (field.number === 1) key = field.bytes.toString();
    else if (field.number === 2) value = decodeValue(field, values, levels);
  }
  setOwnMember(map, key, value ?? emptyValue(values));
}

const emptyValue = (schema: TypeSchema): unknown =>
  schema.type === "scalar" ? (schema.scalar === "Quantity" ? "0" : "") : schema.type === "list" ? [] : {};

function isZero(value: unknown, schema: TypeSchema): boolean {
  if (schema.type !== "scalar") return false;
  if (schema.scalar === "IntOrString") return value === 0;
  return value === "" || value === 0 || value === false;
}

function decodeValue(wire: WireField, schema: TypeSchema, levels: number): unknown {
  switch (schema.type) {
    case "object":
      return decodeMessage(wire.bytes, schema, levels);
    case "any":
      return embeddedJson(wire.bytes);
    case "list":
      return wrappedItems(wire.bytes, schema.items, levels);
    case "either":
      return decodeEither(wire.bytes, schema, levels);
    case "scalar":
      return decodeScalarField(wire, schema.scalar);
    case "map":
      return undefined;
  }
}

function wrappedItems(message: Buffer, items: TypeSchema, levels: number): unknown[] {
  const list: unknown[] = [];
  for (const field of wireFields(message)) addItem(list, decodeValue(field, items, levels));
  return list;
}

/** Decodes a `RawExtension`, `JSON` or `FieldsV1`: a message whose field 1 contains JSON text. */
function embeddedJson(message: Buffer): unknown {
  for (const field of wireFields(message)) {
    if (field.number === 1 && field.bytes.length > 0) return readJson(field.bytes.toString());
  }
  return undefined;
}

function readJson(text: string): unknown {
  try {
    return readJsonText(text).value;
  } catch (error) {
    if (!(error instanceof UnreadableTextError)) throw error;
    throw new ProtobufError(error.message);
  }
}

function decodeEither(message: Buffer, schema: TypeSchema & { type: "either" }, levels: number): unknown {
  let allows: boolean | undefined;
  const others: unknown[] = [];
  for (const field of wireFields(message)) {
    const isObject = schema.name === "JSONSchemaPropsOrBool" ? field.number === 2 : field.number === 1;
    if (isObject) return decodeValue(field, schema.object, levels);
    if (schema.other.type === "list") others.push(decodeValue(field, schema.other.items, levels));
    else allows = field.varint !== 0n;
  }
  return schema.other.type === "list" ? others : (allows ?? false);
}

function decodeScalarField(wire: WireField, scalar: ScalarName): unknown {
  switch (scalar) {
    case "string":
      return wire.bytes.toString();
    case "bytes":
      return wire.bytes.toString("base64");
    case "bool":
      return wire.varint !== 0n;
    case "double":
      if (wire.wireType !== 1) throw new ProtobufError(`proto: wrong wireType = ${wire.wireType} for a double`);
      return wire.bytes.readDoubleLE(0);
    case "Time":
    case "MicroTime":
      return decodeTimestamp(wire.bytes, scalar);
    case "Quantity":
      return quantityText(messageField(wire.bytes, 1)?.bytes.toString());
    case "IntOrString":
      return messageField(wire.bytes, 1)?.varint === 1n
        ? (messageField(wire.bytes, 3)?.bytes.toString() ?? "")
        : Number(BigInt.asIntN(32, messageField(wire.bytes, 2)?.varint ?? 0n));
    case "Duration":
      return formatGoDuration(BigInt.asIntN(64, messageField(wire.bytes, 1)?.varint ?? 0n));
    default:
      return integer(wire.varint);
  }
}

function quantityText(text: string | undefined): string | undefined {
  if (!text) return undefined;
  try {
    return Quantity.parse(text).toString();
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    throw new ProtobufError(error.message);
  }
}

function messageField(message: Buffer, number: number): WireField | undefined {
  for (const field of wireFields(message)) if (field.number === number) return field;
  return undefined;
}

function integer(varint: bigint): number | bigint {
  const value = BigInt.asIntN(64, varint);
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Latest time whose year has four digits, in seconds since 1970. */
const maxSeconds = 253_402_300_799;

/** Decodes a time. The zero time is an empty message, and is returned as `undefined`. */
function decodeTimestamp(message: Buffer, kind: "Time" | "MicroTime"): string | undefined {
  if (message.length === 0) return undefined;
  const seconds = Number(BigInt.asIntN(64, messageField(message, 1)?.varint ?? 0n));
  const nanos = Number(messageField(message, 2)?.varint ?? 0n);
  if (Math.abs(seconds) > maxSeconds) throw new ProtobufError("time is out of range");
  const whole = new Date(seconds * 1_000).toISOString().slice(0, 19);
  return kind === "Time" ? `${whole}Z` : `${whole}.${String(Math.trunc(nanos / 1_000)).padStart(6, "0")}Z`;
}
