/** Type of a flag's value, named as in the help of Go programs. */
export type FlagType =
  | "bool"
  | "string"
  | "strings"
  | "stringArray"
  | "int"
  | "duration"
  | "ip"
  | "mapStringString"
  | "configurationMap"
  | "featureGates"
  | "version"
  | "choice";

export interface FlagSpec {
  readonly name: string;
  readonly type: FlagType;
  readonly section: string;
  /** Default value, as written on the command line. */
  readonly default?: string;
  /** Allowed values of a flag of type `choice`. */
  readonly allowed?: readonly string[];
}

export type FlagTable = ReadonlyMap<string, FlagSpec>;

/** Parses a table of `Section:` lines, each followed by `name type default` or `name choice(a|b) default` lines. */
export function parseFlagTable(text: string): FlagTable {
  const table = new Map<string, FlagSpec>();
  let section = "";
  for (const line of text.split("\n")) {
    if (line === "") continue;
    if (!line.startsWith(" ")) section = line.slice(0, -1);
    else {
      const [name = "", shown = "", ...rest] = line.trim().split(" ");
      const [type = "", allowed] = shown.replace(")", "").split("(");
      table.set(name, {
        name,
        type: type as FlagType, // safe: a test checks every type in our tables
        section,
        ...(rest.length > 0 ? { default: rest.join(" ") } : {}),
        ...(allowed ? { allowed: allowed.split("|") } : {}),
      });
    }
  }
  return table;
}
