import { isSecretKey } from "../masking/masked-status.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";
import type { UciObject, UciValue } from "../uci/uci-object.ts";

/** A section in a UCI configuration on a CNF. */
export interface UciSection {
  readonly config: string;
  readonly type: string;
  /** Name of the section. Undefined if the section is anonymous. The name is then stored in an option. */
  readonly name: string | undefined;
  readonly options: readonly (readonly [option: string, value: string])[];
}

interface Home {
  readonly config: string;
  readonly type: string;
  /** Names of options that differ from their field names. */
  readonly renamed?: Readonly<Record<string, string>>;
}

/**
 * The UCI files and section types in which a CNF stores the collections of its REST API.
 *
 * @see the CNF's `rest_v1` modules of icn-sdwan
 */
const homes: Readonly<Record<string, Home>> = {
  "mwan3/v1/policies": { config: "mwan3", type: "policy" },
  "mwan3/v1/rules": { config: "mwan3", type: "rule", renamed: { policy: "use_policy" } },
  "firewall/v1/zones": { config: "firewall", type: "zone" },
  "firewall/v1/rules": { config: "firewall", type: "rule" },
  "firewall/v1/forwardings": { config: "firewall", type: "forwarding" },
  "firewall/v1/redirects": { config: "firewall", type: "redirect" },
  "networkfirewall/v1/rules": { config: "firewall-rule", type: "rule" },
  "nat/v1/nats": { config: "firewall-nat", type: "nat" },
  "ipsec/v1/proposals": { config: "ipsec", type: "proposal" },
  "ipsec/v1/remotes": { config: "ipsec", type: "remote" },
  "route/v1/routes": { config: "route-cnf", type: "route" },
  "rule/v1/rules": { config: "rule-cnf", type: "rule" },
  "application/v1/applications": { config: "app-cnf", type: "rule", renamed: { iplist: "src" } },
};

type NamedKind = Pick<CnfKind, "path" | "namedSections">;

/**
 * Returns the type and file of the section to which a kind's resources are converted. For an unknown kind, the type is
 * the name of its collection.
 */
export function homeOf({ path }: Pick<CnfKind, "path">): Home {
  const [config = "", , collection = ""] = path.split("/");
  return homes[path] ?? { config, type: collection.replace(/s$/, "") };
}

/** Returns an object's UCI sections, without secrets: first that of the object itself, then those of its parts. */
export function uciSections(kind: NamedKind, object: UciObject): readonly UciSection[] {
  const { config, type, renamed = {} } = homeOf(kind);
  const { name, members, connections, ...fields } = object;
  const title = String(name ?? "");
  const parts = [
    ...recordsIn(members).map((member) => sectionOf(config, "member", `${title}_${textOf(member.interface)}`, member)),
    ...recordsIn(connections).map(({ conn_type, name: of, ...connection }) =>
      sectionOf(config, textOf(conn_type) || "tunnel", textOf(of), connection),
    ),
  ];
  const references = referencesTo(parts);
  const own = kind.namedSections ? fields : { name: title, ...fields };
  const section = sectionOf(config, type, kind.namedSections ? title : undefined, { ...own, ...references }, renamed);
  return [section, ...parts];
}

/** Returns the lists in which a section names its parts. */
function referencesTo(parts: readonly UciSection[]): Record<string, readonly string[]> {
  const lists = Map.groupBy(parts, ({ type }) => (type === "member" ? "use_member" : type));
  return Object.fromEntries([...lists].map(([list, of]) => [list, of.map(({ name = "" }) => name)]));
}

function sectionOf(
  config: string,
  type: string,
  name: string | undefined,
  fields: UciObject,
  renamed: Readonly<Record<string, string>> = {},
): UciSection {
  const options = Object.entries(fields).flatMap(([field, value]): [string, string][] => {
    const text = textOf(value);
    return text === "" ? [] : [[renamed[field] ?? field, isSecretKey(field) ? hidden : text]];
  });
  return { config, type, name, options };
}

/** Replacement for secrets. */
export const hidden = "***";

function textOf(value: UciValue | undefined): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map((each) => (typeof each === "string" ? each : hidden)).join(" ");
  return typeof value === "object" ? hidden : String(value);
}

const recordsIn = (value: UciValue | undefined): readonly UciObject[] =>
  Array.isArray(value) ? value.filter((each): each is UciObject => typeof each === "object" && each !== null) : [];
