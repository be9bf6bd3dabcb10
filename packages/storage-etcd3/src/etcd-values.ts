import { isRecord, parseJson, stringifyJson, type Unstructured } from "@kubewright/apimachinery";
import { decodeDocument } from "@kubewright/codec";
import type { StoredObject } from "@kubewright/storage";
import { freezeTree } from "@kubewright/storage";

/** Encodes an object as JSON for etcd, without its `resourceVersion`, which is etcd's own revision. */
export function encodeValue(object: StoredObject): Buffer {
  const { resourceVersion: _resourceVersion, ...metadata } = object.metadata;
  return Buffer.from(stringifyJson({ ...object, metadata }));
}

/**
 * Decodes a value from etcd: JSON, or the protobuf format in which kube-apiserver writes built-in kinds.
 *
 * @throws {Error} if the value has neither format, or is the protobuf of an unknown kind
 */
export function decodeValue(value: Buffer, revision: number): StoredObject {
  const object = value[0] === openBrace ? parseJson(value.toString("utf8")) : decodeDocument(value);
  if (!isObject(object)) throw new Error("the value is not an API object");
  return freezeTree({ ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } });
}

const isObject = (value: unknown): value is Unstructured =>
  isRecord(value) &&
  typeof value.kind === "string" &&
  isRecord(value.metadata) &&
  typeof value.metadata.name === "string";

const openBrace = 0x7b;
