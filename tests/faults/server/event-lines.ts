import { expired, internalError } from "@kubewright/apimachinery";
import type { Fault } from "./fault-plan.ts";

/** Writes the members in the order of API servers, or reversed, which is the same JSON. */
export function eventLine(type: string, object: object, isTypeFirst = true): Buffer {
  return Buffer.from(`${JSON.stringify(isTypeFirst ? { type, object } : { object, type })}\n`);
}

export function bookmarkLine(version: bigint, annotations?: Readonly<Record<string, string>>): Buffer {
  const metadata = { resourceVersion: String(version), ...(annotations ? { annotations } : {}) };
  return eventLine("BOOKMARK", { kind: "ConfigMap", apiVersion: "v1", metadata });
}

export const goneLine = (): Buffer => eventLine("ERROR", expired("too old resource version").status);
export const internalErrorLine = (): Buffer => eventLine("ERROR", internalError(new Error("etcd is gone")).status);

/** Returns a position inside a line, before its newline. */
export function placeInLine(line: Buffer, thousandths: number): number {
  return 1 + Math.floor(((line.length - 2) * thousandths) / 999);
}

/** Returns a position between two bytes of one character. */
export function placeInCharacter(line: Buffer, thousandths: number): number {
  const places: number[] = [];
  for (const [index, byte] of line.entries()) if (byte >= 0x80 && byte < 0xc0) places.push(index);
  const place = places[Math.floor(((places.length - 1) * thousandths) / 999)];
  if (place === undefined) throw new Error("every object has characters of more than one byte");
  return place;
}

/** Returns a truncated line, or one with a byte that is never valid in JSON. */
export function corruptedLine(line: Buffer, { at, variant }: Pick<Fault, "at" | "variant">): Buffer {
  const place = Math.max(1, placeInLine(line, at) - 1); // neither nothing, which nobody can notice, nor all of it
  if (variant % 2 === 0) return Buffer.concat([line.subarray(0, place), Buffer.from("\n")]);
  const damaged = Buffer.from(line);
  damaged[place] = 0x01;
  return damaged;
}

const garbage: readonly (string | Buffer)[] = [
  "<html><body>502 Bad Gateway</body></html>",
  Buffer.from([0xff, 0xfe, 0x00, 0xf0, 0x9f]),
  '{"type":"ADDED"',
  '{"type":"ADDED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"',
  '{"type":"MODIFIED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a",}}}',
  '{"type":"RENAMED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}}',
  '{"type":"MODIFIED","object":{}}',
  '{"type":"DELETED","object":null}',
  '{"type":"MODIFIED","object":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a","namespace":"web"}}}',
  '{"type":"ERROR","object":"?"}',
  '{"type":"BOOKMARK","object":{}}',
  '{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":""}}}',
  "null",
  "\r",
];

/** Returns a line that no API server should send. None of them contains false data about an existing object. */
export const garbageLine = (variant: number): Buffer =>
  Buffer.concat([Buffer.from(garbage[variant % garbage.length] ?? ""), Buffer.from("\n")]);
