import { encodeMessage } from "@kubewright/codec";
import type { ReadonlyObject, ServedResource } from "../../registry/resource.ts";

const messages = new WeakMap<ReadonlyObject, Buffer>();

/** Returns the protobuf message of a frozen built-in object, without an envelope. It is created once and used for all requests. */
export function objectMessage(object: ReadonlyObject, { schema }: ServedResource): Buffer {
  let message = messages.get(object);
  if (message === undefined) {
    if (schema.type !== "object") throw new Error("a type with a protobuf encoding must have fields");
    message = encodeMessage(object, schema);
    messages.set(object, message);
  }
  return message;
}
