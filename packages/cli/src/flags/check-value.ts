import { isIP } from "node:net";
import { kubernetesVersion, quote, readGoDuration } from "@kubewright/apimachinery";
import { parseCsv } from "./csv.ts";
import type { FlagSpec, FlagType } from "./flag-table.ts";
import { parseBool, parseInt64 } from "./go-numbers.ts";

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
const checks: Readonly<Record<FlagType, Check>> = {
  bool: parseBool,
  string: anything,
  strings: csv,
  stringArray: anything,
  int: parseInt64,
  duration,
  ip: (text) => (text === "" || isIP(text.trim()) ? undefined : `failed to parse IP: ${quote(text)}`),
  mapStringString: (text) =>
    text.split(",").every((pair) => pair === "" || pair.includes("="))
      ? undefined
      : "malformed pair, expect string=string",
  configurationMap: anything,
  featureGates: anything, // checked after all flags are parsed, as in the original program
  version: (text) => checkVersion(text),
  choice: (text, { allowed = [] }) => (allowed.includes(text) ? undefined : "invalid value"),
};

/** Returns the original program's error message for a flag value, or undefined if the value is valid. */
export const checkValue = (spec: FlagSpec, text: string): string | undefined => checks[spec.type](text, spec);

function checkVersion(text: string): string | undefined {
  if (text === "raw") return undefined;
  if (!text.startsWith("v")) return parseBool(text);
  return text.split(/[-+]/, 1)[0] === kubernetesVersion
    ? undefined
    : `version ${quote(text)} must match major/minor/patch of default version ${quote(kubernetesVersion)}`;
}
