import { encodeMessage } from "@kubewright/codec";
import type { ReadonlyObject, ServedResource } from "../../registry/resource.ts";

const messages = new WeakMap<ReadonlyObject, Buffer>();

/** The message of a frozen object of a built-in kind, without its envelope, made once however often it is sent. */
export function objectMessage(object: ReadonlyObject, { schema }: ServedResource): Buffer {
  let message = messages.get(object);
  if (message === undefined) {
    if (schema.type !== "object") throw new Error("what has a form in protobuf has fields");
    message = encodeMessage(object, schema);
    messages.set(object, message);
  }
  return message;
}
