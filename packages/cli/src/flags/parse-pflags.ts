import { quote } from "@kubewright/apimachinery";
import { checkValue } from "./check-value.ts";
import { FlagError } from "./flag-error.ts";
import type { FlagSpec, FlagTable } from "./flag-table.ts";
import { FlagValues } from "./flag-values.ts";

export interface ParsedFlags {
  readonly values: FlagValues;
  /** Arguments that are not flags. */
  readonly args: readonly string[];
}

/** One-letter shorthands of flags. */
const shorthands: Readonly<Record<string, string>> = { v: "v", h: "help" };

/** Values of flags that are given without a value, keyed by type. */
const alone: Readonly<Partial<Record<FlagSpec["type"], string>>> = { bool: "true", version: "true" };

/**
 * Parses a command line as Kubernetes programs do. Accepts `--name=value`, `--name value`, `-v2`, and `_` instead of
 * `-`; `--` ends the flags.
 *
 * @throws {FlagError} with pflag's message
 * @see spf13/pflag FlagSet.Parse
 */
export function parsePflags(table: FlagTable, argv: readonly string[]): ParsedFlags {
  const given = new Map<string, string[]>();
  const args: string[] = [];
  const rest = [...argv];
  const set = (spec: FlagSpec, text: string): void => {
    const wrong = checkValue(spec, text);
    if (wrong !== undefined) throw new FlagError(`invalid argument ${quote(text)} for "--${spec.name}" flag: ${wrong}`);
    given.set(spec.name, [...(given.get(spec.name) ?? []), text]);
  };
  for (let each = rest.shift(); each !== undefined; each = rest.shift()) {
    if (each === "--") {
      args.push(...rest.splice(0));
    } else if (each.startsWith("--")) {
      const [name, value] = splitFlag(each);
      const spec = table.get(name.replaceAll("_", "-"));
      if (!spec) throw new FlagError(`unknown flag: --${name}`);
      const text = value ?? alone[spec.type] ?? rest.shift();
      if (text === undefined) throw new FlagError(`flag needs an argument: --${name}`);
      set(spec, text);
    } else if (each.startsWith("-") && each !== "-") {
      const letter = each[1] ?? "";
      const spec = table.get(shorthands[letter] ?? "");
      if (!spec) throw new FlagError(`unknown shorthand flag: ${`'${letter}'`} in ${each}`);
      const attached = each.length > 2 ? each.slice(2).replace(/^=/, "") : undefined;
      const text = attached ?? alone[spec.type] ?? rest.shift();
      if (text === undefined) throw new FlagError(`flag needs an argument: '${letter}' in ${each}`);
      set(spec, text);
    } else args.push(each);
  }
  return { values: new FlagValues(table, given), args };
}

function splitFlag(text: string): [name: string, value: string | undefined] {
  const name = text.slice(2);
  if (name === "" || name.startsWith("-") || name.startsWith("=")) throw new FlagError(`bad flag syntax: ${text}`);
  const equals = name.indexOf("=");
  return equals < 0 ? [name, undefined] : [name.slice(0, equals), name.slice(equals + 1)];
}
