import { quote } from "@kubewright/apimachinery";
import { type Expression, isCelCompileError, operators, parseSyntax, typeName, typeOf } from "@kubewright/cel";
import { unexplained } from "@kubewright/codec";
import type { StoredObject } from "@kubewright/storage";

/**
 * Selects the objects for which the hash of the UID or namespace is in the given ranges.
 *
 * @see apimachinery pkg/sharding Selector
 */
export interface ShardSelector {
  /** The selector in its canonical form, which `shardInfo` of a list contains. */
  readonly text: string;
  matches(object: StoredObject): boolean;
}

const valuesOf: Readonly<Record<string, (object: StoredObject) => string>> = {
  "object.metadata.uid": ({ metadata }) => metadata.uid ?? "",
  "object.metadata.namespace": ({ metadata }) => metadata.namespace ?? "",
};

/** A range of hashes: `start` belongs to it, `end` does not. Both are `0x` and hexadecimal digits. */
interface ShardRange {
  readonly key: string;
  readonly start: string;
  readonly end: string;
}

/**
 * Parses the `shardSelector` parameter, for example `shardRange(object.metadata.uid, '0x0000000000000000',
 * '0x8000000000000000')`. Several ranges are combined with `||`.
 *
 * @throws {StatusError} 500 without a reason, as in upstream, if the selector is not valid
 * @see apiserver pkg/sharding Parse
 */
export function parseShardSelector(text: string): ShardSelector {
  try {
    if (text.trim() === "")
      throw invalid("empty shard selector is not allowed; omit the parameter for unfiltered lists");
    const ranges = rangesOf(parseSyntax(text.trim()));
    const key = ranges[0]?.key ?? "";
    const other = ranges.find((range) => range.key !== key);
    if (other) throw invalid(`all shard ranges must use the same field, got ${quote(key)} and ${quote(other.key)}`);
    const hashed = valuesOf[key] ?? (() => "");
    return {
      text: ranges.map(({ start, end }) => `shardRange(${key}, '${start}', '${end}')`).join(" || "),
      matches(object) {
        const hash = hashOf(hashed(object));
        return ranges.some(({ start, end }) => !isLess(hash, start) && isLess(hash, end));
      },
    };
  } catch (error) {
    if (isCelCompileError(error)) throw invalid(`CEL parse error: ${error.message}`);
    throw error;
  }
}

const invalid = (message: string): Error => unexplained(`invalid shard selector: ${message}`);

/** Numbers of the kinds of expressions in cel-go, which upstream's errors contain. @see cel-go common/ast ExprKind */
const kindNumbers: Readonly<Record<Expression["kind"], number>> = {
  call: 1,
  comprehension: 2,
  ident: 3,
  list: 4,
  literal: 5,
  map: 6,
  select: 7,
  struct: 8,
};

function rangesOf(node: Expression): ShardRange[] {
  if (node.kind !== "call")
    throw invalid(`unexpected expression kind ${kindNumbers[node.kind]}; expected shardRange() call or || operator`);
  if (node.name === operators.or) return node.args.flatMap(rangesOf);
  if (node.name !== "shardRange")
    throw invalid(`unsupported function ${quote(node.name)}; only shardRange() and || are allowed`);
  const [path, from, to, ...others] = node.args;
  if (!path || !from || !to || others.length > 0)
    throw invalid(`shardRange() requires exactly 3 arguments, got ${node.args.length}`);
  const key = fieldPathOf(path);
  if (!Object.hasOwn(valuesOf, key))
    throw invalid(`unsupported field path ${quote(key)}; supported: object.metadata.uid, object.metadata.namespace`);
  const [start, end] = [boundOf(from, "hexStart"), boundOf(to, "hexEnd")];
  if (!isLess(start, end)) throw invalid(`shard range start ${start} must be less than end ${end}`);
  return [{ key, start, end }];
}

function fieldPathOf(node: Expression): string {
  if (node.kind === "ident") return node.name;
  if (node.kind === "select") return `${fieldPathOf(node.operand)}.${node.field}`;
  throw invalid(
    `shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind ${kindNumbers[node.kind]}`,
  );
}

/** Go types of literals other than strings, which upstream's errors contain. */
const goTypes: Readonly<Record<string, string>> = {
  bool: "bool",
  bytes: "[]uint8",
  double: "float64",
  int: "int64",
  null_type: "structpb.NullValue",
  uint: "uint64",
};

const longestDigits = 17;
const exactDigits = 16;
const upperBound = "0x10000000000000000"; // 2 ** 64

function boundOf(node: Expression, name: string): string {
  if (node.kind !== "literal")
    throw invalid(`${name} must be a string literal (e.g. '0xff'), got expression kind ${kindNumbers[node.kind]}`);
  const { value } = node;
  if (typeof value !== "string")
    throw invalid(`${name} must be a string literal, got ${goTypes[typeName(typeOf(value))]}`);
  if (!value.startsWith("0x")) throw invalid(`${name} must have '0x' prefix, got ${quote(value)}`);
  const digits = value.slice(2);
  if (digits === "") throw invalid(`${name}: hex value is required after '0x'`);
  const length = Buffer.byteLength(digits);
  if (length > longestDigits)
    throw invalid(`${name}: hex value too long (${length} chars, max ${longestDigits}): ${quote(digits)}`);
  const wrong = [...digits].find((digit) => !/^[0-9a-f]$/.test(digit));
  if (wrong !== undefined) throw invalid(`${name}: invalid hex character ${quote(wrong)} in ${quote(value)}`);
  if (length === longestDigits && value !== upperBound)
    throw invalid(`${name}: 17-digit hex value must be '${upperBound}' (2^64), got ${quote(value)}`);
  if (length < exactDigits)
    throw invalid(
      `${name} must be a 0x-prefixed 16-digit hex value, got ${quote(value)} (did you mean ${quote(`0x${digits.padStart(exactDigits, "0")}`)}?)`,
    );
  return value;
}

const isLess = (a: string, b: string): boolean => (a.length === b.length ? a < b : a.length < b.length);

const [offsetHigh, offsetLow] = [0xcbf29ce4, 0x84222325];
const primeLow = 0x1b3; // the prime is 2 ** 40 + 0x1b3
const word = 2 ** 32;

/** Returns the 64-bit FNV-1a hash of a string as `0x` and 16 digits. @see apimachinery pkg/sharding HashField */
function hashOf(text: string): string {
  let [high, low] = [offsetHigh, offsetLow];
  for (const byte of Buffer.from(text)) {
    low = (low ^ byte) >>> 0;
    const product = low * primeLow;
    high = (high * primeLow + Math.floor(product / word) + low * 2 ** 8) % word;
    low = product % word;
  }
  return `0x${digitsOf(high)}${digitsOf(low)}`;
}

const digitsOf = (half: number): string => half.toString(16).padStart(8, "0");
