import { quote } from "@kubewright/apimachinery";
import { spend } from "../text/cost-meter.ts";
import { asBool, asString } from "../values/arguments.ts";
import { type FunctionDeclaration, global, member } from "../values/declarations.ts";
import { CelError, CelNode, type CelValue, noSuchOverload } from "../values/value.ts";
import { kubernetesTypes } from "./kubernetes-types.ts";

interface Version {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly prerelease: readonly (string | bigint)[];
  readonly build: readonly string[];
}

class CelSemver extends CelNode {
  readonly type = kubernetesTypes.semver;
  readonly value: Version;

  constructor(value: Version) {
    super();
    this.value = value;
  }

  equals(other: CelValue): boolean | CelError {
    return other instanceof CelSemver ? compare(this.value, other.value) === 0 : noSuchOverload();
  }
}

const maxUint = 2n ** 64n - 1n;
/** Number of digits in {@link maxUint}. */
const maxDigits = 20;

/**
 * Maximum length of a version that is compared at no cost. A longer version is charged, because it may have almost as many parts as
 * characters.
 */
const mostUsual = 256;
const workOfCharacter = 8;

/** Parses a version by semver.org's rules, or returns the error. @see github.com/blang/semver Parse */
function parse(text: string): Version | CelError {
  if (text.length > mostUsual) spend(text.length * workOfCharacter);
  if (text === "") return new CelError("Version string empty");
  const parts = text.split(".");
  if (parts.length < 3) return new CelError("No Major.Minor.Patch elements found");
  const [major = "", minor = ""] = parts;
  let rest = parts.slice(2).join(".");
  const plus = rest.indexOf("+");
  const build = plus < 0 ? [] : rest.slice(plus + 1).split(".");
  if (plus >= 0) rest = rest.slice(0, plus);
  const dash = rest.indexOf("-");
  const prerelease = dash < 0 ? [] : rest.slice(dash + 1).split(".");
  if (dash >= 0) rest = rest.slice(0, dash);
  const numbers: bigint[] = [];
  for (const [i, part] of [major, minor, rest].entries()) {
    const read = numeral(part, ["major", "minor", "patch"][i] ?? "");
    if (read instanceof CelError) return read;
    numbers.push(read);
  }
  const identifiers: (string | bigint)[] = [];
  for (const part of prerelease) {
    const read = identifier(part);
    if (read instanceof CelError) return read;
    identifiers.push(read);
  }
  for (const part of build) {
    if (part === "") return new CelError("Build meta data is empty");
    if (!/^[0-9A-Za-z-]+$/.test(part))
      return new CelError(`Invalid character(s) found in build meta data ${quote(part)}`);
  }
  const [a = 0n, b = 0n, c = 0n] = numbers;
  return { numbers: [a, b, c], prerelease: identifiers, build };
}

function numeral(text: string, part: string): bigint | CelError {
  if (!/^\d*$/.test(text)) return new CelError(`Invalid character(s) found in ${part} number ${quote(text)}`);
  if (text.length > 1 && text.startsWith("0"))
    return new CelError(
      `${part[0]?.toUpperCase()}${part.slice(1)} number must not contain leading zeroes ${quote(text)}`,
    );
  if (text === "") return new CelError(`strconv.ParseUint: parsing "": invalid syntax`);
  const value = text.length > maxDigits ? maxUint + 1n : BigInt(text);
  return value > maxUint ? new CelError(outOfRange(text)) : value;
}

const outOfRange = (text: string): string => `strconv.ParseUint: parsing ${quote(text)}: value out of range`;

function identifier(text: string): string | bigint | CelError {
  if (text === "") return new CelError("Prerelease is empty");
  if (/^\d+$/.test(text)) {
    if (text.length > 1 && text.startsWith("0"))
      return new CelError(`Numeric PreRelease version must not contain leading zeroes ${quote(text)}`);
    return text.length > maxDigits ? new CelError(outOfRange(text)) : BigInt(text);
  }
  return /^[0-9A-Za-z-]+$/.test(text) ? text : new CelError(`Invalid character(s) found in prerelease ${quote(text)}`);
}

/** Normalizes an almost valid version: removes a leading `v` and leading zeros, and adds missing numbers. */
function normalized(text: string): Version | CelError {
  const [first = "", second, ...third] = text.replace(/^v/, "").split(".");
  const parts = [first, ...(second === undefined ? [] : [second]), ...(third.length > 0 ? [third.join(".")] : [])].map(
    (part) => (part.length > 1 ? part.replace(/^0+/, "").replace(/^(?!\d)/, "0") : part),
  );
  if (parts.length < 3) {
    if (/[+-]/.test(parts.at(-1) ?? "")) return new CelError("short version cannot contain PreRelease/Build meta data");
    while (parts.length < 3) parts.push("0");
  }
  return parse(parts.join("."));
}

function compare(a: Version, b: Version): number {
  for (const i of [0, 1, 2] as const) if (a.numbers[i] !== b.numbers[i]) return a.numbers[i] > b.numbers[i] ? 1 : -1;
  if (a.prerelease.length === 0 || b.prerelease.length === 0)
    return Math.sign(Number(a.prerelease.length === 0) - Number(b.prerelease.length === 0));
  for (const [i, left] of a.prerelease.entries()) {
    spend(1);
    const right = b.prerelease[i];
    if (right === undefined) return 1;
    if (left === right) continue;
    // a number comes before a name
    if (typeof left !== typeof right) return typeof left === "bigint" ? -1 : 1;
    return left > right ? 1 : -1;
  }
  return a.prerelease.length < b.prerelease.length ? -1 : 0;
}

const made = (version: Version | CelError): CelValue =>
  version instanceof CelError ? version : new CelSemver(version);

const asVersion = (value: CelValue | undefined): Version => {
  if (value instanceof CelSemver) return value.value;
  throw new Error("a version function was called on a value that is not a version");
};

const read = (text: string, normalize: boolean): Version | CelError => (normalize ? normalized(text) : parse(text));
const two = "kubernetes.Semver, kubernetes.Semver";

/** Functions for semantic versions. @see apiserver pkg/cel/library/semverlib.go */
export const semver: readonly FunctionDeclaration[] = [
  global("semver", "string_to_semver", "string -> kubernetes.Semver", (a) => made(parse(asString(a)))),
  global("semver", "string_bool_to_semver", "string, bool -> kubernetes.Semver", (a, b) =>
    made(read(asString(a), asBool(b))),
  ),
  global("isSemver", "is_semver_string", "string -> bool", (a) => !(parse(asString(a)) instanceof CelError)),
  global(
    "isSemver",
    "is_semver_string_bool",
    "string, bool -> bool",
    (a, b) => !(read(asString(a), asBool(b)) instanceof CelError),
  ),
  member(
    "isGreaterThan",
    "semver_is_greater_than",
    `${two} -> bool`,
    (a, b) => compare(asVersion(a), asVersion(b)) > 0,
  ),
  member("isLessThan", "semver_is_less_than", `${two} -> bool`, (a, b) => compare(asVersion(a), asVersion(b)) < 0),
  member("compareTo", "semver_compare_to", `${two} -> int`, (a, b) => BigInt(compare(asVersion(a), asVersion(b)))),
  ...(["major", "minor", "patch"] as const).map((name, i) =>
    member(name, `semver_${name}`, "kubernetes.Semver -> int", (a) => asVersion(a).numbers[i] ?? 0n),
  ),
];
