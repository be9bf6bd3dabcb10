import { isIP } from "node:net";
import { kubernetesVersion, quote, readGoDuration } from "@kubewright/apimachinery";
import { parseCsv } from "./csv.ts";
import type { FlagSpec, FlagType } from "./flag-table.ts";
import { atoi, parseBool, parseFloat64, parseInt32, parseInt64, parseUint32, parseUint64 } from "./go-numbers.ts";

type Check = (text: string, spec: FlagSpec) => string | undefined;

const anything: Check = () => undefined;
const csv: Check = (text) => {
  const parsed = parseCsv(text);
  return "error" in parsed ? parsed.error : undefined;
};
const duration: Check = (text) => {
  const read = readGoDuration(text);
  return "problem" in read ? read.problem : undefined;
};
const firstError = (texts: readonly string[], check: (text: string) => string | undefined): string | undefined =>
  texts.map(check).find((error) => error !== undefined);

const checks: Readonly<Record<FlagType, Check>> = {
  bool: parseBool,
  string: anything,
  strings: csv,
  stringArray: anything,
  int: parseInt64,
  uint: parseUint64,
  float: parseFloat64,
  duration,
  ip: (text) => (text === "" || isIP(text.trim()) ? undefined : `failed to parse IP: ${quote(text)}`),
  quantity: (text) =>
    /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/.test(text)
      ? undefined
      : "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  portRange: checkPortRange,
  int32Slice: (text) => firstError(text.split(","), parseInt32),
  namedCertKey: (text) =>
    /^[^,]+,[^,:]+(?::.*)?$/.test(text) ? undefined : "expected comma separated certificate and key file paths",
  stringToString: (text) =>
    firstError(text.split(","), (pair) => (pair.includes("=") ? undefined : `${pair} must be formatted as key=value`)),
  mapStringString: (text) =>
    firstError(text.split(",").filter(Boolean), (pair) =>
      pair.includes("=") ? undefined : "malformed pair, expect string=string",
    ),
  configurationMap: anything,
  colonSeparatedMultimapStringString: anything,
  featureGates: anything, // checked after all flags are parsed, as in the original
  moduleSpec: (text) => firstError(text.split(",").filter(Boolean), checkModuleLevel),
  level: (text) => parseUint32(text),
  version: (text) => checkVersion(text),
  choice: (text, { allowed = [] }) => (allowed.includes(text) ? undefined : "invalid value"),
};

/** Returns the original's error message for a flag value; undefined if the value is valid. */
export const checkValue = (spec: FlagSpec, text: string): string | undefined => checks[spec.type](text, spec);

function checkPortRange(text: string): string | undefined {
  const value = text.trim();
  if (value === "") return undefined;
  const parts = value.includes("+") ? value.split("+", 2) : value.split("-", 2);
  const wrong = firstError(parts, atoi);
  if (wrong) return wrong;
  const [low = 0, high = low] = parts.map(Number);
  if (low > 65_535 || high > 65_535) return `the port range cannot be greater than 65535: ${value}`;
  return high < low && !value.includes("+") ? `end port cannot be less than start port: ${value}` : undefined;
}

function checkModuleLevel(pair: string): string | undefined {
  const [pattern = "", level, ...more] = pair.split("=");
  if (level === undefined || more.length > 0 || pattern === "" || level === "")
    return `${quote(pair)} does not have the pattern=N format`;
  const wrong = parseUint32(level);
  return wrong && `parsing verbosity in ${quote(pair)}: ${wrong}`;
}

function checkVersion(text: string): string | undefined {
  if (text === "raw") return undefined;
  if (!text.startsWith("v")) return parseBool(text);
  return text.split(/[-+]/, 1)[0] === kubernetesVersion
    ? undefined
    : `version ${quote(text)} must match major/minor/patch of default version ${quote(kubernetesVersion)}`;
}
