import { keepInteger, parseJsonNumbers } from "@kubewright/apimachinery";
import { isMap, isScalar, parseDocument, type Tags, visit } from "yaml";

/** Size above which API servers reject an object. */
const maxBytes = 3 * 1024 * 1024;

/**
 * Parses one document into the value that kubectl would send. `yes` and `off` are booleans as in YAML 1.1, but
 * timestamps and sexagesimal numbers are not recognized, so `80:80` remains a string. As in client responses, integers
 * beyond 2^53 keep all digits. Returns `undefined` for an empty document.
 *
 * @throws {Error} if the document is neither YAML nor JSON, contains a key twice, or is too large, either as written or with expanded
 *   aliases
 */
export function readDocument(text: string): unknown {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) throw new Error(`is ${bytes} bytes long; API servers accept at most ${maxBytes} bytes`);
  if (/^\s*\{/.test(text)) {
    try {
      return parseJsonNumbers(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw tooDeep(error);
    }
  }
  if (isNestedDeeply(text)) throw tooDeep();
  try {
    return readYaml(text);
  } catch (error) {
    throw error instanceof RangeError ? tooDeep(error) : error;
  }
}

/** Maximum nesting depth. Real objects have less than a tenth of this depth, and deeper nesting is slow to parse. */
const maxDepth = 500;

/** Estimates the nesting depth before parsing. Brackets inside strings are counted as well, but they are usually balanced. */
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

function readYaml(text: string): unknown {
  // Repeated keys are detected below, because the library compares every key with every other.
  const document = parseDocument(text, {
    schema: "yaml-1.1",
    customTags,
    merge: true,
    intAsBigInt: true,
    uniqueKeys: false,
    prettyErrors: true,
  });
  const [problem] = document.errors;
  if (problem && /call stack/.test(problem.message)) throw tooDeep(problem);
  if (problem) throw new Error(firstLine(problem.message), { cause: problem });
  visit(document, {
    Map: (_key, node) => {
      const known = new Set<string>();
      for (const { key } of node.items) {
        const name = isScalar(key) ? String(key.value) : isMap(key) ? undefined : String(key);
        if (name === undefined || name === "<<") continue;
        if (known.has(name)) throw new Error(`key ${JSON.stringify(name)} occurs more than once in a mapping`);
        known.add(name);
      }
    },
  });
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  return value === null ? undefined : numbersFor(value, { bytes: maxBytes });
}

const firstLine = (text: string): string => text.split("\n")[0]?.replace(/:$/, "") ?? text;

const customTags = (tags: Tags): Tags =>
  tags.filter((tag) => typeof tag === "string" || (tag.format !== "TIME" && tag.tag !== "tag:yaml.org,2002:timestamp"));

/**
 * Number of bytes that the rest of the value may still use. A value uses at least one byte, and an alias's target is counted once per use.
 */
interface Room {
  bytes: number;
}

/** Converts the parsed `bigint` integers to numbers. The container of an integer stores the digits that a number cannot represent. */
function numbersFor(value: unknown, room: Room): unknown {
  room.bytes -= typeof value === "string" ? value.length : 1;
  if (room.bytes < 0) throw new Error(`is longer than ${maxBytes} bytes once its aliases are expanded`);
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || value === null) return value;
  const members: [key: string | number, value: unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  const numbers = members.map(([key, one]): [string | number, unknown] => [key, numbersFor(one, room)]);
  const copy = Array.isArray(value) ? numbers.map(([, one]) => one) : Object.fromEntries(numbers);
  for (const [key, one] of members)
    if (typeof one === "bigint" && !Number.isSafeInteger(Number(one))) keepInteger(copy, key, one);
  return copy;
}
