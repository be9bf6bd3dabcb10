import type { CnfSimulator } from "@kubewright/openwrt/testing";

type Shown = Readonly<Record<string, unknown>>;

/** The objects of a collection, as a GET shows them. */
export function collection(cnf: CnfSimulator, path: string): readonly Shown[] {
  const [list] = Object.values((cnf.config()[path] ?? {}) as Record<string, unknown>);
  return Array.isArray(list) ? (list as Shown[]) : [];
}

/** The objects of that name; one that is on the CNF as it should be is there once. */
export function named(cnf: CnfSimulator, path: string, name: string): readonly Shown[] {
  return collection(cnf, path).filter((object) => object.name === name);
}

/** The names of all objects, sorted, by collection. One that is there twice is in it twice. */
export function names(cnf: CnfSimulator): Record<string, readonly string[]> {
  const all = Object.keys(cnf.config()).map((path): [string, string[]] => [
    path,
    collection(cnf, path)
      .map((object) => String(object.name))
      .sort(),
  ]);
  return Object.fromEntries(all.filter(([, list]) => list.length > 0));
}

/** The sections of all configurations, without those that are the CNF's own settings. */
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

/** The section that holds an object. */
export function section(cnf: CnfSimulator, [config, type]: readonly [string, string], name: string): boolean {
  return cnf.uci
    .sections(config, type)
    .some(({ id, options, anonymous }) => (!anonymous && id === name) || options.get("name") === name);
}

/** The commands to services since the start. */
export function serviceCommands(cnf: CnfSimulator): string[] {
  return cnf.commands.map((argv) => argv.join(" ")).filter((line) => /^(\/etc\/init\.d\/|fw3 )/.test(line));
}
