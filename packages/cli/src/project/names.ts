import { isDns1035Label, isDns1123Label, isDns1123Subdomain } from "@kubewright/apimachinery";
import { UsageError } from "../command/errors.ts";

/** Validation rule of a flag, with its error message. */
interface Rule {
  readonly isValid: (value: string) => boolean;
  readonly requirement: string;
}

const inPascalCase: Rule = {
  isValid: (value) => /^[A-Z][A-Za-z0-9]{0,62}$/.test(value),
  requirement: 'must be in PascalCase, such as "Site"',
};

const rules = {
  kind: inPascalCase,
  as: inPascalCase,
  version: {
    isValid: (value) => /^v[1-9]\d{0,4}(?:(?:alpha|beta)[1-9]\d{0,4})?$/.test(value),
    requirement:
      'must be "v" and a number, optionally followed by alpha or beta and a number, such as "v1" or "v1beta1"',
  },
  group: {
    isValid: (value) => isDns1123Label(value).length === 0,
    requirement: 'must consist of lower-case letters, digits and "-", without the domain, such as "shop"',
  },
  plural: {
    isValid: (value) => isDns1035Label(value).length === 0,
    requirement: 'must consist of lower-case letters and digits, such as "sites"',
  },
  "short-name": {
    isValid: (value) => isDns1035Label(value).length === 0,
    requirement: 'must consist of lower-case letters and digits, such as "st"',
  },
  domain: {
    isValid: (value) => isDns1123Subdomain(value).length === 0 && value.includes("."),
    requirement: 'must be lower-case names separated by dots, such as "example.com"',
  },
  name: {
    // The names of Deployments, roles and services consist of this name and a suffix.
    isValid: (value) => isDns1035Label(value).length === 0 && value.length <= 40,
    requirement: 'must be at most 40 lower-case letters, digits and "-", starting with a letter, such as "shop"',
  },
} as const satisfies Record<string, Rule>;

/**
 * Validates the value of a flag.
 *
 * @throws {UsageError} if the value is not valid; the message contains the rule and an example
 */
export function checkFlag(flag: keyof typeof rules, value: string): string {
  const problem = problemOf(flag, value);
  if (problem) throw new UsageError(`--${flag} ${JSON.stringify(value)}: ${problem}`);
  return value;
}

/** Returns the rule that a value violates, or undefined if the value is valid. */
export function problemOf(name: keyof typeof rules, value: string): string | undefined {
  const { isValid, requirement } = rules[name];
  return isValid(value) ? undefined : requirement;
}

/** Checks that all required flags were given. @throws {UsageError} with the missing flags */
export function requireFlags(command: string, flags: Readonly<Record<string, string | undefined>>): void {
  const missing = Object.keys(flags).filter((name) => flags[name] === undefined);
  if (missing.length > 0) throw new UsageError(`${command}: missing ${missing.map((name) => `--${name}`).join(", ")}`);
}

/** Returns a file name: `CronJob` becomes `cron-job`. Avoids `index`, the name of barrels. */
export function fileNameOf(kind: string): string {
  const name = kind
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/([A-Z])(?=[A-Z][a-z])/g, "$1-")
    .toLowerCase();
  return name === "index" ? "index-resource" : name;
}
