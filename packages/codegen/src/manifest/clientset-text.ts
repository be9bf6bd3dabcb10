import { bracketed, keyText } from "../text/literal.ts";
import { pascal } from "../text/names.ts";

/** A kind in the clientset, and the module that exports it. */
export interface ClientsetKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** Name under which the module exports the kind. */
  readonly name: string;
  /** Path of the module relative to the clientset's file, such as `./api/network.ts`. */
  readonly module: string;
}

/**
 * Returns the code for a program's clientset, which maps names to kinds. The key of a group is the first part of its
 * name, or its whole name if the first part is ambiguous.
 *
 * @throws {Error} if two kinds have the same plural, group and version; the message contains both kinds
 */
export function clientsetText(
  kinds: readonly ClientsetKind[],
  options: { readonly library?: string | undefined } = {},
): string {
  const { library = "kubewright" } = options;
  if (kinds.length === 0) throw new Error("clientset: the project has no kinds; run kubewright create api to add one");
  const groups = groupNames(kinds);
  const tree = new Map<string, Map<string, Map<string, ClientsetKind>>>();
  for (const kind of kinds) {
    const versions = fill(tree, groups.get(kind.group) ?? kind.group);
    const resources = fill(versions, kind.version);
    const known = resources.get(kind.plural);
    if (known)
      throw new Error(
        `clientset: ${kind.plural}.${kind.group}/${kind.version} is exported as both ${known.name} and ${kind.name}`,
      );
    resources.set(kind.plural, kind);
  }
  const names = localNames(kinds);
  const inner = nested(tree, (versions, at) =>
    nested(
      versions,
      (resources, deeper) => nested(resources, (kind) => names.get(keyOf(kind)) ?? kind.name, deeper),
      at,
    ),
  );
  return `// Written by kubewright generate clientset; do not edit, run it again.
import { clientsetOf, informersOf } from ${JSON.stringify(library)};
${importLines(kinds, names)}
const groups = ${inner} as const;

export const clientset = clientsetOf(groups);
export const informers = informersOf(groups);
`;
}

function groupNames(kinds: readonly ClientsetKind[]): Map<string, string> {
  const groups = [...new Set(kinds.map(({ group }) => group))];
  const first = (group: string): string => (group === "" ? "core" : (group.split(".")[0] ?? group));
  return new Map(
    groups.map((group) => {
      const isShared = groups.some((other) => other !== group && first(other) === first(group));
      const whole = pascal(group);
      return [group, isShared && group !== "" ? whole.charAt(0).toLowerCase() + whole.slice(1) : first(group)];
    }),
  );
}

function fill<V>(map: Map<string, Map<string, V>>, name: string): Map<string, V> {
  const found = map.get(name) ?? new Map<string, V>();
  map.set(name, found);
  return found;
}

const sorted = <V>(map: ReadonlyMap<string, V>): [string, V][] => [...map].sort(([a], [b]) => (a < b ? -1 : 1));

function nested<V>(map: ReadonlyMap<string, V>, print: (value: V, indent: string) => string, indent = ""): string {
  const parts = sorted(map).map(([name, value]) => `${keyText(name)}: ${print(value, `${indent}  `)}`);
  return bracketed("{", parts, "}", indent);
}

const keyOf = ({ module, name }: ClientsetKind): string => `${module} ${name}`;

/** Returns a unique name for each kind in the file. These are needed because modules for several versions may export the same name. */
function localNames(kinds: readonly ClientsetKind[]): ReadonlyMap<string, string> {
  const given = new Set<string>();
  const names = new Map<string, string>();
  for (const kind of kinds) {
    if (names.has(keyOf(kind))) continue;
    let local = kind.name;
    for (let n = 2; given.has(local); n++) local = `${kind.name}${n}`;
    given.add(local);
    names.set(keyOf(kind), local);
  }
  return names;
}

function importLines(kinds: readonly ClientsetKind[], names: ReadonlyMap<string, string>): string {
  const modules = new Map<string, Set<string>>();
  for (const kind of kinds) {
    const local = names.get(keyOf(kind)) ?? kind.name;
    const clauses = modules.get(kind.module) ?? new Set();
    modules.set(kind.module, clauses.add(local === kind.name ? local : `${kind.name} as ${local}`));
  }
  return sorted(modules)
    .map(([module, clauses]) => `import { ${[...clauses].sort().join(", ")} } from ${JSON.stringify(module)};\n`)
    .join("");
}
