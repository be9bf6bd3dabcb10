/** How the text of a flag's value is read. The names are the ones that Go's programs show in their help. */
export type FlagType =
  | "bool"
  | "string"
  | "strings"
  | "stringArray"
  | "int"
  | "int64"
  | "uint"
  | "uint32"
  | "uint64"
  | "float"
  | "duration"
  | "ip"
  | "quantity"
  | "portRange"
  | "int32Slice"
  | "namedCertKey"
  | "stringToString"
  | "mapStringString"
  | "configurationMap"
  | "colonSeparatedMultimapStringString"
  | "featureGates"
  | "moduleSpec"
  | "level"
  | "version"
  | "uniqueUrls"
  | "choice"
  | "choices";

export interface FlagSpec {
  readonly name: string;
  readonly type: FlagType;
  readonly section: string;
  /** As it would be written on the command line. */
  readonly default?: string;
  /** The values that a flag of type `choice` or `choices` takes. */
  readonly allowed?: readonly string[];
}

export type FlagTable = ReadonlyMap<string, FlagSpec>;

/** Reads a table: `Section:` lines, and under each `name type default` or `name choice(a|b) default` lines. */
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
        type: type as FlagType, // the tables are ours: a test reads every type of them
        section,
        ...(rest.length > 0 ? { default: rest.join(" ") } : {}),
        ...(allowed ? { allowed: allowed.split("|") } : {}),
      });
    }
  }
  return table;
}
