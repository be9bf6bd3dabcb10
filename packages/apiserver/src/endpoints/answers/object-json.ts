import { stringifyJson } from "@kubewright/apimachinery";
import type { ReadonlyObject } from "../../registry/resource.ts";

const bodies = new WeakMap<ReadonlyObject, Buffer>();

/** The compact JSON of a frozen object and a newline, made once however often it is sent. */
export function objectBody(object: ReadonlyObject): Buffer {
  let body = bodies.get(object);
  if (body === undefined) {
    body = ownBuffer(`${stringifyJson(object)}\n`);
    bodies.set(object, body);
  }
  return body;
}

/** Not a part of Node's shared pool: one long-lived part keeps all of it. */
function ownBuffer(text: string): Buffer {
  const buffer = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  buffer.write(text);
  return buffer;
}
