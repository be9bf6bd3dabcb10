import { isDns1035Label, isDns1123Label, isDns1123Subdomain } from "@kubewright/apimachinery";
import { UsageError } from "../command/errors.ts";

/** What a flag must be like, and one that is. */
interface Rule {
  readonly isValid: (value: string) => boolean;
  readonly says: string;
}

const rules = {
  kind: {
    isValid: (value) => /^[A-Z][A-Za-z0-9]{0,62}$/.test(value),
    says: 'a kind is PascalCase, such as "Site"',
  },
  version: {
    isValid: (value) => /^v[1-9]\d{0,4}(?:(?:alpha|beta)[1-9]\d{0,4})?$/.test(value),
    says: 'a version is v and a number, perhaps with alpha or beta and another, such as "v1" or "v1beta1"',
  },
  group: {
    isValid: (value) => isDns1123Label(value).length === 0,
    says: 'a group is lower-case letters, digits and "-", without the domain, such as "shop"',
  },
  plural: {
    isValid: (value) => isDns1035Label(value).length === 0,
    says: 'a plural is lower-case letters and digits, such as "sites"',
  },
  "short-name": {
    isValid: (value) => isDns1035Label(value).length === 0,
    says: 'a short name is lower-case letters and digits, such as "st"',
  },
  domain: {
    isValid: (value) => isDns1123Subdomain(value).length === 0 && value.includes("."),
    says: 'a domain has lower-case names and dots, such as "example.com"',
  },
  name: {
    // Deployments, roles and services are named after it, with something behind.
    isValid: (value) => isDns1035Label(value).length === 0 && value.length <= 40,
    says: 'a name is at most 40 lower-case letters, digits and "-", and begins with a letter, such as "shop"',
  },
} as const satisfies Record<string, Rule>;

/** @throws {UsageError} with the rule and an example, if the value is not like that */
export function checkFlag(flag: keyof typeof rules, value: string): string {
  const says = problemOf(flag, value);
  if (says) throw new UsageError(`--${flag} ${JSON.stringify(value)}: ${says}`);
  return value;
}

/** What is wrong with a value, in the words of {@link checkFlag}; `undefined` if nothing is. */
export function problemOf(name: keyof typeof rules, value: string): string | undefined {
  const { isValid, says } = rules[name];
  return isValid(value) ? undefined : says;
}

/** @throws {UsageError} naming all that are missing, in one line */
export function requireFlags(command: string, flags: Readonly<Record<string, string | undefined>>): void {
  const missing = Object.keys(flags).filter((name) => flags[name] === undefined);
  if (missing.length > 0)
    throw new UsageError(`${command}: ${missing.map((name) => `--${name}`).join(", ")}: required`);
}

/** As file names are written: `CronJob` becomes `cron-job`. `index` is the barrel's own. */
export function fileNameOf(kind: string): string {
  const name = kind
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1-$2")
    .toLowerCase();
  return name === "index" ? "index-resource" : name;
}
