import { isRecord, parseApiVersion } from "@kubewright/apimachinery";
import { builtinSchema, sharedType } from "../schema/builtin-schemas.ts";
import type { ObjectSchema } from "../schema/type-schema.ts";
import { decodeMessage, magic, readEnvelope } from "./protobuf-decode.ts";
import { encodeMessage } from "./protobuf-encode.ts";
import { ProtobufWriter } from "./protobuf-writer.ts";

/** The end of an envelope: the content encoding and content type, both empty. */
export const envelopeTail: Buffer = Buffer.from([0x1a, 0x00, 0x22, 0x00]);

const writer = new ProtobufWriter();
const heads = new Map<string, Buffer>();

/**
 * Returns the beginning of an envelope, up to a message of the given length. {@link envelopeTail} must follow the
 * message.
 *
 * @see apimachinery runtime.Unknown
 */
export function envelopeHead(apiVersion: string, kind: string, messageBytes: number): Buffer {
  const type = `${apiVersion} ${kind}`;
  let head = heads.get(type);
  if (!head) {
    head = Buffer.concat([magic, delimitedField(1, Buffer.concat([text(1, apiVersion), text(2, kind)]))]);
    heads.set(type, head);
  }
  return Buffer.concat([head, fieldHead(2, messageBytes)]);
}

/** Returns a message in its envelope. */
export const inEnvelope = (apiVersion: string, kind: string, message: Buffer): Buffer =>
  Buffer.concat([envelopeHead(apiVersion, kind, message.length), message, envelopeTail]);

/** Returns the tag and length that precede the content of a field. */
export function fieldHead(number: number, bytes: number): Buffer {
  writer.clear();
  writer.varint(bytes);
  writer.varint((number << 3) | 2);
  return writer.finish();
}

const delimitedField = (number: number, content: Buffer): Buffer =>
  Buffer.concat([fieldHead(number, content.length), content]);
const text = (number: number, content: string): Buffer => delimitedField(number, Buffer.from(content));

/**
 * Encodes an object as protobuf, in an envelope with its type.
 *
 * @throws {Error} if the type is not built-in
 */
export function encodeDocument(document: unknown): Buffer {
  const { apiVersion, kind } = isRecord(document) ? document : {};
  const version = String(apiVersion ?? "");
  const schema = schemaOf(version, String(kind));
  if (!schema) throw new Error(`${String(kind)} of ${version} has no protobuf encoding`);
  return inEnvelope(version, String(kind), encodeMessage(document, schema));
}

/**
 * Decodes the object in an envelope to JSON.
 *
 * @throws {ProtobufError} if the bytes are not protobuf
 *
 * @throws {Error} if the type is not built-in
 */
export function decodeDocument(bytes: Buffer): Record<string, unknown> {
  const { apiVersion, kind, raw } = readEnvelope(bytes);
  const schema = schemaOf(apiVersion, kind);
  if (!schema) throw new Error(`${kind} in ${apiVersion} is not a built-in kind`);
  return { kind, ...(apiVersion === "" ? {} : { apiVersion }), ...decodeMessage(raw, schema) };
}

/** Reports whether bytes start like a Kubernetes envelope: `k8s` and a NUL. Does not check the rest. */
export const isProtobuf = (bytes: Buffer): boolean => bytes.length >= 4 && magic.equals(bytes.subarray(0, 4));

/** Returns the kind of the object in an envelope without decoding the object. @throws {ProtobufError} */
export const kindOfDocument = (bytes: Buffer): string => readEnvelope(bytes).kind;

/** Encodes a watch event, preceded by its length. @see apimachinery meta/v1 WatchEvent */
export function watchFrame(type: string, object: Buffer): Buffer {
  const event = Buffer.concat([text(1, type), delimitedField(2, delimitedField(1, object))]);
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}

function schemaOf(apiVersion: string, kind: string): ObjectSchema | undefined {
  if (apiVersion === "") return sharedType("meta/v1", kind); // the oldest discovery documents have no `apiVersion`
  const schema = builtinSchema({ ...parseApiVersion(apiVersion), kind });
  return schema && apiVersion === "meta.k8s.io/v1beta1" && kind === "PartialObjectMetadataList"
    ? betaList(schema)
    : schema;
}

let partialListBeta: ObjectSchema | undefined;

/** Returns the schema of a list in v1beta1, where the items have the first field number. */
function betaList(schema: ObjectSchema): ObjectSchema {
  partialListBeta ??= {
    ...schema,
    fields: new Map(
      [...schema.fields.values()].map((field) => [
        field.name,
        field.number === 0 ? field : { ...field, number: 3 - field.number },
      ]),
    ),
  };
  return partialListBeta;
}
