import { encodeMessage } from "@kubewright/codec";
import type { ReadonlyObject, ServedResource } from "../../registry/resource.ts";

const messages = new WeakMap<ReadonlyObject, Buffer>();

/** Returns a frozen built-in object's protobuf message without its envelope, created once for all requests. */
export function objectMessage(object: ReadonlyObject, { schema }: ServedResource): Buffer {
  let message = messages.get(object);
  if (message === undefined) {
    if (schema.type !== "object") throw new Error("what has a form in protobuf has fields");
    message = encodeMessage(object, schema);
    messages.set(object, message);
  }
  return message;
}
