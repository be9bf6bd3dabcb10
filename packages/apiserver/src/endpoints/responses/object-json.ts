import { stringifyJson } from "@kubewright/apimachinery";
import type { ReadonlyObject } from "../../registry/resource.ts";

const bodies = new WeakMap<ReadonlyObject, Buffer>();

/** Returns a frozen object's compact JSON and a newline, created once for all requests. */
export function objectBody(object: ReadonlyObject): Buffer {
  let body = bodies.get(object);
  if (body === undefined) {
    body = ownBuffer(`${stringifyJson(object)}\n`);
    bodies.set(object, body);
  }
  return body;
}

/** Does not use Node's shared pool, because a single long-lived slice would keep the whole pool in memory. */
function ownBuffer(text: string): Buffer {
  const buffer = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  buffer.write(text);
  return buffer;
}
