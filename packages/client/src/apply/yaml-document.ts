import { isRecord, parseJson } from "@kubewright/apimachinery";
import { isTooDeep, readYaml } from "@kubewright/codec";

/** No API server takes larger objects. */
const maxBytes = 3 * 1024 * 1024;

/**
 * One document as the value that kubectl would send: YAML 1.1 as to `yes` and `off`, without its times and its numbers to the base sixty,
 * so that `80:80` stays text. Integers beyond 2^53 become `bigint`. An empty document is `undefined`.
 *
 * @throws {Error} if it is neither YAML nor JSON, has a key twice, or is too large, as it is or with its aliases written out
 */
export function readDocument(text: string): unknown {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) throw new Error(`is ${bytes} bytes long: API servers take at most ${maxBytes}`);
  if (/^\s*\{/.test(text)) {
    try {
      return parseJson(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw tooDeep(error);
    }
  }
  if (isNestedDeeply(text)) throw tooDeep();
  const { value, duplicates } = readYaml(text);
  const [duplicate] = duplicates;
  if (duplicate !== undefined) throw new Error(duplicate);
  if (isTooDeep(value)) throw tooDeep();
  checkSize(value);
  return value === null ? undefined : value;
}

/** No kind nests a tenth as deep. */
const maxDepth = 500;

/** Looked at before it is read. Brackets in text count, too, but close there as they open. */
function isNestedDeeply(text: string): boolean {
  if (new RegExp(`(?:[-?:][ \\t]+){${maxDepth}}`).test(text)) return true;
  let depth = 0;
  for (const bracket of text.match(/[[\]{}]/g) ?? []) {
    depth = Math.max(0, depth + (bracket === "[" || bracket === "{" ? 1 : -1));
    if (depth > maxDepth) return true;
  }
  return false;
}

const tooDeep = (cause?: unknown): Error => new Error("is nested too deeply to be read", { cause });

/** A value takes a byte at least, and what an alias names comes as often as the alias does. */
function checkSize(value: unknown): void {
  let left = maxBytes;
  const take = (each: unknown): void => {
    left -= typeof each === "string" ? each.length : 1;
    if (left < 0) throw new Error(`is longer than ${maxBytes} bytes once its aliases are written out`);
    if (Array.isArray(each)) for (const one of each) take(one);
    else if (isRecord(each)) for (const one of Object.values(each)) take(one);
  };
  take(value);
}
