import type { Definition } from "../source/definition.ts";
import type { ServedKind } from "../source/served-kind.ts";
import { literal } from "../text/literal.ts";
import { pascal, UniqueNames, versionSuffix } from "../text/names.ts";
import { InterfacePrinter } from "./interface-printer.ts";

export interface InterfaceFileOptions {
  /** Name of the kind in the text. */
  readonly name: string;
  /** Module from which the text imports. */
  readonly library: string;
  /** CRD to include in the text. It adds `crd` and `parse` to the kind. */
  readonly definition?: Definition | undefined;
}

/**
 * Returns TypeScript that exports a type and a value for each version of a kind. For the first version, the given name
 * is used; for other versions, the version is added as a suffix.
 */
export function interfaceFile(versions: readonly ServedKind[], options: InterfaceFileOptions): string {
  const { definition, library } = options;
  const names = new UniqueNames();
  const typeNames = versions.map(({ version }, i) =>
    names.take(pascal(options.name) + (i === 0 ? "" : versionSuffix(version))),
  );
  const nameOf = (i: number): string => typeNames[i] ?? "";
  const printer = new InterfacePrinter(names, versions[0]?.schemas);
  for (const [i, served] of versions.entries()) printer.add(nameOf(i), served);
  const interfaces = printer.print();
  const parts = versions.flatMap((served, i) => [interfaces[i] ?? "", valueText(nameOf(i), served, definition)]);
  const crd = definition ? [`const crd = ${literal(bare(definition))};\n`] : [];
  const values = definition ? ["definedBy"] : [];
  const types = [definition ? "DefinedKind" : "Kind", ...printer.uses];
  const kinds = [...printer.usedKinds];
  const imports =
    importText(values, types, library) + (kinds.length > 0 ? importText([], kinds, `${library}/kinds`) : "");
  return [imports, ...crd, ...parts].join("\n");
}

function valueText(name: string, served: ServedKind, definition: Definition | undefined): string {
  const { group, version, kind, plural, scope } = served;
  if (definition)
    return `export const ${name}: DefinedKind<${name}> = definedBy<${name}>(crd, ${JSON.stringify(version)});\n`;
  return `export const ${name}: Kind<${name}> = ${literal({ group, version, kind, plural, scope })};\n`;
}

/** Returns a copy of a CRD without the fields that servers add. */
function bare({ apiVersion, kind, metadata, spec }: Definition): object {
  const { name, labels, annotations } = metadata;
  return { apiVersion, kind, metadata: { name, labels, annotations }, spec };
}

/** Returns an import statement, with names sorted as by Biome. */
export function importText(values: readonly string[], types: readonly string[], library: string): string {
  if (values.length === 0) return `import type { ${types.toSorted().join(", ")} } from ${JSON.stringify(library)};\n`;
  const named = [...values.map((name) => [name, name]), ...types.map((name) => [name, `type ${name}`])];
  const sorted = named.sort(([a = ""], [b = ""]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
  return `import { ${sorted.map(([, text]) => text).join(", ")} } from ${JSON.stringify(library)};\n`;
}
