import { quote } from "@kubewright/apimachinery";
import { checkValue } from "./check-value.ts";
import { FlagError } from "./flag-error.ts";
import type { FlagSpec, FlagTable } from "./flag-table.ts";
import { FlagValues } from "./flag-values.ts";
import { booleanOf } from "./go-numbers.ts";
import type { ParsedFlags } from "./parse-pflags.ts";

/** Types for which Go's flag package prints only "parse error". */
const terse: ReadonlySet<FlagSpec["type"]> = new Set(["int", "int64", "uint", "uint64", "float", "duration"]);

/**
 * Parses a command line like Go's own flag package: one dash or two, and the first argument that is not a flag ends the flags.
 *
 * @throws {FlagError} with the message of Go's flag package
 * @see Go's flag.FlagSet.Parse
 */
export function parseGoFlags(table: FlagTable, argv: readonly string[]): ParsedFlags {
  const given = new Map<string, string[]>();
  const rest = [...argv];
  for (;;) {
    const each = rest[0];
    if (each === undefined || !each.startsWith("-") || each === "-") break;
    rest.shift();
    if (each === "--") break;
    const [, name = "", , value] = /^--?([^-=][^=]*)(=([\s\S]*))?$/.exec(each) ?? [];
    if (name === "") throw new FlagError(`bad flag syntax: ${each}`);
    const spec = table.get(name);
    if (!spec) throw new FlagError(`flag provided but not defined: -${name}`);
    const text = value ?? (spec.type === "bool" ? "true" : rest.shift());
    if (text === undefined) throw new FlagError(`flag needs an argument: -${name}`);
    const wrong = checkValue(spec, text);
    if (wrong !== undefined) throw new FlagError(refusal(spec, text, wrong));
    given.set(name, [text]);
  }
  return { values: new FlagValues(table, given), args: rest };
}

function refusal({ name, type }: FlagSpec, text: string, wrong: string): string {
  if (type === "bool" && booleanOf(text) === undefined)
    return `invalid boolean value ${quote(text)} for -${name}: parse error`;
  return `invalid value ${quote(text)} for flag -${name}: ${terse.has(type) ? "parse error" : wrong}`;
}
