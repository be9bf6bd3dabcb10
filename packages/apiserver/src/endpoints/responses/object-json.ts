import { stringifyJson } from "@kubewright/apimachinery";
import type { ReadonlyObject } from "../../registry/resource.ts";

const bodies = new WeakMap<ReadonlyObject, Buffer>();

/** Returns the compact JSON of a frozen object, followed by a newline. It is created once and used for all requests. */
export function objectBody(object: ReadonlyObject): Buffer {
  let body = bodies.get(object);
  if (body === undefined) {
    body = ownBuffer(`${stringifyJson(object)}\n`);
    bodies.set(object, body);
  }
  return body;
}

/**
 * Encodes text into a separate buffer. Node's shared pool is not used, because a single long-lived slice would keep the whole pool in
 * memory.
 */
function ownBuffer(text: string): Buffer {
  const buffer = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  buffer.write(text);
  return buffer;
}
