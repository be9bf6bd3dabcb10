import { YamlError } from "./cursor.ts";

type ScalarKind = "str" | "bool" | "int" | "float" | "null" | "timestamp" | "merge";

const core = "tag:yaml.org,2002:";
const kinds: ReadonlySet<string> = new Set(["str", "bool", "int", "float", "null", "timestamp"]);
const words: ReadonlyMap<string, readonly [ScalarKind, unknown]> = new Map([
  ...listed("bool", true, "y Y yes Yes YES true True TRUE on On ON"),
  ...listed("bool", false, "n N no No NO false False FALSE off Off OFF"),
  ...listed("null", null, "~ null Null NULL"),
  ...listed("float", Number.NaN, ".nan .NaN .NAN"),
  ...listed("float", Number.POSITIVE_INFINITY, ".inf .Inf .INF +.inf +.Inf +.INF"),
  ...listed("float", Number.NEGATIVE_INFINITY, "-.inf -.Inf -.INF"),
  ["", ["null", null] as const],
]);
const integer = /^([-+]?)(0[xX][\da-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9]\d*)$/;
const float = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
const timestamp = /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt ]\d{1,2}:\d{1,2}:\d{1,2}(?:[.,]\d+)?(?:Z|[-+]\d\d:\d\d)?)?$/;
/** Maximum number of digits: more than a 64-bit number has in any base. */
const maxDigits = 70;

function listed(kind: ScalarKind, value: unknown, texts: string): [string, readonly [ScalarKind, unknown]][] {
  return texts.split(" ").map((text) => [text, [kind, value]]);
}

/**
 * Returns the value of a scalar according to YAML 1.1, as upstream does: unquoted `y`, `no` and `off` are booleans,
 * times and base-60 numbers are strings, integers beyond 2^53 are `bigint`, and integers beyond 64 bits are
 * floating-point numbers.
 *
 * @param tag the tag in its full form
 * @throws {YamlError} if the text does not match its tag
 * @see go.yaml.in/yaml/v2 resolve.go
 */
export function scalarValue(text: string, isPlain: boolean, tag: string | undefined): unknown {
  if (tag === undefined) return isPlain ? plainValue(text)[1] : text;
  const name = tag.startsWith(core) ? tag.slice(core.length) : "";
  if (name === "binary") return binary(text);
  if (name === "str" || !kinds.has(name)) return text;
  const [kind, value] = plainValue(text);
  if (kind === name) return value;
  if (name === "float" && kind === "int") return Number(value);
  if (name === "timestamp" && timestamp.test(text)) return text;
  throw new YamlError(`cannot decode !!${kind} \`${text}\` as a !!${name}`);
}

function plainValue(text: string): readonly [ScalarKind, unknown] {
  const word = words.get(text);
  if (word) return word;
  const [first = ""] = text;
  if (first === ".") return float.test(text) ? ["float", Number(text)] : ["str", text];
  if (!/[-+\d]/.test(first) || timestamp.test(text)) return ["str", text];
  return numberOf(text.replaceAll("_", "")) ?? ["str", text];
}

function numberOf(text: string): readonly [ScalarKind, unknown] | undefined {
  const [, sign = "", digits = ""] = text.length > maxDigits ? [] : (integer.exec(text) ?? []);
  if (digits !== "") {
    const magnitude = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits);
    const value = sign === "-" ? -magnitude : magnitude;
    const isUnsigned = sign === "" && BigInt.asUintN(64, value) === value;
    if (isUnsigned || BigInt.asIntN(64, value) === value)
      return ["int", Number.isSafeInteger(Number(value)) ? Number(value) : value];
  }
  if (!float.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? ["float", value] : undefined;
}

function binary(text: string): string {
  const clean = text.replace(/[\r\n]/g, "");
  if (clean.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(clean))
    throw new YamlError("!!binary value contains invalid base64 data");
  return Buffer.from(clean, "base64").toString("utf8");
}
