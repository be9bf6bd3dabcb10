import { quote } from "@kubewright/apimachinery";
import { FlagError } from "../flags/flag-error.ts";
import type { FlagSpec, FlagTable } from "../flags/flag-table.ts";
import type { FlagValues } from "../flags/flag-values.ts";
import { flagList } from "../flags/help.ts";
import { parsePflags } from "../flags/parse-pflags.ts";
import type { Io } from "../process/io.ts";
import { deprecatedFlags } from "./deprecated-flags.ts";
import { versionText } from "./version.ts";

export interface CommandLine {
  readonly program: string;
  readonly table: FlagTable;
  /** Above the list of flags. */
  readonly intro: string;
  /** Behind a flag in that list. */
  readonly note: (spec: FlagSpec) => string;
}

/**
 * Reads a command line of kube-apiserver's kind and does what ends at once: help, version, mistakes.
 *
 * @returns what was set, or the code to end with
 */
export function readCommandLine(line: CommandLine, argv: readonly string[], io: Io): FlagValues | number {
  try {
    const { values, args } = parsePflags(line.table, argv);
    if (values.boolean("help")) {
      io.out(helpText(line));
      return 0;
    }
    for (const name of values.names) {
      const advice = deprecatedFlags.get(name);
      if (advice) io.err(`Flag --${name} has been deprecated, ${advice}\n`);
    }
    if (args.length > 0)
      throw new FlagError(`${quote(line.program)} does not take any arguments, got [${args.map(quote).join(" ")}]`);
    const version = values.given("version");
    if (version !== undefined && !["0", "f", "false", "F", "False", "FALSE"].includes(version)) {
      io.out(versionText(version));
      return 0;
    }
    return values;
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    io.err(`Error: ${error.message}\n`);
    return 1;
  }
}

export const helpText = ({ program, table, intro, note }: CommandLine): string => {
  const shown = new Map([...table].filter(([, spec]) => spec.section !== "Hidden"));
  return `${intro}\n\nUsage:\n  ${program} [flags]\n${flagList(shown, note)}`;
};
