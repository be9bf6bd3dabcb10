import { setOwnMember } from "@kubewright/apimachinery";
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
} from "yaml";

/** A YAML text that cannot be read; the message is what upstream puts after `yaml: `. */
export class YamlError extends Error {
  override readonly name = "YamlError";
}

export interface YamlValue {
  readonly value: unknown;
  /** `line 4: key "a" already set in map`, one for each repeated key. */
  readonly duplicates: readonly string[];
}

/**
 * Reads one YAML document by the rules of YAML 1.1, as upstream does on the way to JSON: unquoted `y`, `no`, `off` are booleans, also
 * as keys, and keys become strings. Times and numbers to the base sixty stay strings. Integers beyond 2^53 become `bigint`.
 *
 * @throws {YamlError}
 */
export function readYaml(text: string): YamlValue {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: "1.1",
    uniqueKeys: false,
    intAsBigInt: true,
    lineCounter: lines,
    customTags: (tags) =>
      tags.filter((tag) => typeof tag === "string" || !foreignTags.test(`${tag.tag} ${tag.format}`)),
  });
  const [error] = document.errors;
  if (error) throw new YamlError(`line ${error.linePos?.[0].line ?? 1}: ${error.message.split("\n")[0]}`);
  const duplicates: string[] = [];
  const value = toJson(document.contents, { document, lines, duplicates });
  return { value: value ?? null, duplicates };
}

const foreignTags = /timestamp|TIME/;

interface Reading {
  readonly document: Document;
  readonly lines: LineCounter;
  readonly duplicates: string[];
}

function toJson(node: unknown, reading: Reading): unknown {
  if (isAlias(node)) return toJson(node.resolve(reading.document), reading);
  if (isSeq(node)) return node.items.map((item) => toJson(item, reading));
  if (isScalar(node)) return scalarValue(node);
  if (!isMap(node)) return null;
  const result: Record<string, unknown> = {};
  const merged: unknown[] = [];
  for (const { key, value } of node.items) {
    if (isScalar(key) && (key.value === "<<" || typeof key.value === "symbol") && key.type === "PLAIN") {
      merged.push(toJson(value, reading));
      continue;
    }
    const name = keyText(key);
    if (Object.hasOwn(result, name))
      reading.duplicates.push(`line ${lineOf(key, reading)}: key ${JSON.stringify(name)} already set in map`);
    setOwnMember(result, name, toJson(value, reading));
  }
  const inherited = merged.flat().filter((item): item is object => typeof item === "object" && item !== null);
  return inherited.length === 0
    ? result
    : Object.fromEntries([...inherited.toReversed(), result].flatMap((part) => Object.entries(part)));
}

function scalarValue(node: Scalar): unknown {
  const { value } = node;
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (value instanceof Uint8Array) return Buffer.from(value).toString("latin1");
  return value;
}

function keyText(key: unknown): string {
  const value = isScalar(key) ? scalarValue(key) : undefined;
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "number" || typeof value === "bigint")
    return String(value);
  throw new YamlError(`unsupported map key of type: ${value === null ? "%!s(<nil>)" : "map"}`);
}

function lineOf(node: unknown, reading: Reading): number {
  const offset = (node as Node | null)?.range?.[0] ?? 0;
  return reading.lines.linePos(offset).line;
}
