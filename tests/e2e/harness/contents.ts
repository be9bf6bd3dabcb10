import type { CnfSimulator } from "@kubewright/openwrt/testing";

type Shown = Readonly<Record<string, unknown>>;

/** Returns the objects of a collection, as a GET does. */
export function collection(cnf: CnfSimulator, path: string): readonly Shown[] {
  const [list] = Object.values((cnf.config()[path] ?? {}) as Record<string, unknown>);
  return Array.isArray(list) ? (list as Shown[]) : [];
}

/** Returns the objects with a name; on a correct CNF, there is exactly one. */
export function named(cnf: CnfSimulator, path: string, name: string): readonly Shown[] {
  return collection(cnf, path).filter((object) => object.name === name);
}

/** Returns the sorted names of all objects, by collection. The name of a duplicate appears twice. */
export function names(cnf: CnfSimulator): Record<string, readonly string[]> {
  const all = Object.keys(cnf.config()).map((path): [string, string[]] => [
    path,
    collection(cnf, path)
      .map((object) => String(object.name))
      .sort(),
  ]);
  return Object.fromEntries(all.filter(([, list]) => list.length > 0));
}

/** Returns the sections of all configurations, without those of the CNF's own settings. */
export function sections(cnf: CnfSimulator): string[] {
  return Object.keys(cnf.uci.texts()).flatMap((config) =>
    cnf.uci
      .sections(config)
      .filter(({ type }) => !(config === "ipsec" && type === "ipsec"))
      .map(({ type, id, anonymous, options }) =>
        JSON.stringify([config, type, anonymous ? "" : id, ...[...options].sort()]),
      ),
  );
}

/** Returns the section of an object. */
export function section(cnf: CnfSimulator, [config, type]: readonly [string, string], name: string): boolean {
  return cnf.uci
    .sections(config, type)
    .some(({ id, options, anonymous }) => (!anonymous && id === name) || options.get("name") === name);
}

/** Returns the commands to services since the start. */
export function serviceCommands(cnf: CnfSimulator): string[] {
  return cnf.commands.map((argv) => argv.join(" ")).filter((line) => /^(\/etc\/init\.d\/|fw3 )/.test(line));
}
