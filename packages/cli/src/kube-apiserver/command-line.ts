import { quote } from "@kubewright/apimachinery";
import { FlagError } from "../flags/flag-error.ts";
import type { FlagSpec, FlagTable } from "../flags/flag-table.ts";
import type { FlagValues } from "../flags/flag-values.ts";
import { parsePflags } from "../flags/parse-pflags.ts";
import type { Io } from "../process/io.ts";
import { versionText } from "./version.ts";

export interface CommandLine {
  readonly program: string;
  readonly table: FlagTable;
  /** Flags that are accepted, but have no effect. */
  readonly ignored?: FlagTable;
  /** Text above the list of flags. */
  readonly intro: string;
  /** Returns the note that follows a flag in the list of such flags. */
  readonly note?: (spec: FlagSpec) => string;
}

/**
 * Parses a command line in the style of kube-apiserver. Handles `--help`, `--version` and errors.
 *
 * @returns the values, or the exit code if the program must exit
 */
export function readCommandLine(line: CommandLine, argv: readonly string[], io: Io): FlagValues | number {
  try {
    const { values, args } = parsePflags(new Map([...line.table, ...(line.ignored ?? [])]), argv);
    if (values.boolean("help")) {
      io.out(helpText(line));
      return 0;
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

export function helpText({ program, table, ignored, intro, note = () => "" }: CommandLine): string {
  const text = `${intro}\n\nUsage:\n  ${program} [flags]\n${flagList(table, note)}`;
  if (!ignored) return text;
  return `${text}\nFlags that are accepted, but have no effect:\n\n${[...ignored.keys()].map((name) => `      --${name}\n`).join("")}`;
}

/** Formats the flags by section as Go programs do: one per line, with type and default. */
function flagList(table: FlagTable, note: (spec: FlagSpec) => string): string {
  const lines: string[] = [];
  const specs = [...table.values()];
  const width = Math.max(...specs.map((spec) => shown(spec).length));
  for (const [section, members] of Map.groupBy(specs, (spec) => spec.section)) {
    lines.push("", `${section} flags:`, "");
    for (const spec of members) {
      const fallback = spec.default === undefined ? "" : `(default ${spec.default})`;
      const text = [note(spec), fallback].filter(Boolean).join(" ");
      lines.push(`      ${shown(spec).padEnd(text === "" ? 0 : width + 3)}${text}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

const shown = ({ name, type, allowed }: FlagSpec): string => {
  if (type === "bool") return `--${name}`;
  return `--${name} ${allowed ? allowed.join("|") : type}`;
};
