import { type Definition, readDefinition } from "../source/definition.ts";
import { isOpenApi, openApiKinds } from "../source/openapi-kinds.ts";
import type { ServedKind } from "../source/served-kind.ts";
import { kebab } from "../text/names.ts";
import { interfaceFile } from "./interface-file.ts";
import { typeboxFile } from "./typebox-file.ts";

/** A file to be written. */
export interface GeneratedFile {
  /** Its name, or path, relative to the folder that it goes to. */
  readonly path: string;
  readonly text: string;
}

/** How the TypeScript of a kind is to look; `kubewright generate kinds` has these as flags. */
export interface KindFilesOptions {
  /** Interfaces and a `Kind`, or the `defineKind` that gives the schema back. Default `interface`. */
  readonly style?: "interface" | "typebox" | undefined;
  /** Also the definition, so that the kind has `crd` and `parse`. Only for style `interface`, and for definitions. Default false. */
  readonly schema?: boolean | undefined;
  /** Which versions of a definition. Default: those that are served. */
  readonly versions?: readonly string[] | undefined;
  /** Where the text imports from. Default `kubewright`. */
  readonly library?: string | undefined;
}

/**
 * TypeScript for the kinds of a CustomResourceDefinition of `apiextensions.k8s.io/v1`, or of a group's OpenAPI v3 document: one file
 * a kind. The version that is stored has the kind's own name; others have their version's after it.
 *
 * @throws {Error} naming the field, if it is neither; if a version is named that is not there; or if a style wants a definition
 */
export function kindFiles(source: unknown, options: KindFilesOptions = {}): GeneratedFile[] {
  const { style = "interface", schema = false, library = "kubewright" } = options;
  if (style !== "interface" && style !== "typebox")
    throw new Error(`style: ${JSON.stringify(style)}: must be interface or typebox`);
  if (isOpenApi(source)) {
    if (style === "typebox" || schema)
      throw new Error(
        `${schema ? "schema" : "style typebox"}: needs a CustomResourceDefinition, not an OpenAPI document`,
      );
    return openApiKinds(source).map((kind) => file(kind.kind, sourceOf(kind), interfaceFile([kind], { library })));
  }
  const definition = readDefinition(source);
  const { name } = definition.metadata;
  const versions = chosenVersions(definition, options.versions);
  const { kind } = definition.spec.names;
  if (style === "typebox") return [file(kind, name, typeboxFile(definition, versions, library))];
  const served = versions.map((version) => servedBy(definition, version));
  return [file(kind, name, interfaceFile(served, { library, definition: schema ? definition : undefined }))];
}

const sourceOf = ({ group, version }: ServedKind): string => (group === "" ? version : `${group}/${version}`);

const file = (kind: string, source: string, text: string): GeneratedFile => ({
  path: `${kebab(kind)}.ts`,
  text: `// Written by kubewright generate kinds from ${printable(source)}; run it again rather than change it.\n${text}`,
});

/** A name that somebody else chose must not end the comment that it stands in. */
const printable = (name: string): string => name.replace(/[^\x20-\x7e]/g, "?");

/** The stored version first, then the others as the definition has them. */
function chosenVersions({ metadata, spec }: Definition, wanted: readonly string[] | undefined): string[] {
  const known = spec.versions.map(({ name }) => name);
  const missing = wanted?.find((name) => !known.includes(name));
  if (missing !== undefined)
    throw new Error(`${metadata.name}: version ${JSON.stringify(missing)}: it has ${known.join(", ")}`);
  const chosen = spec.versions.filter(({ name, served }) => (wanted ? wanted.includes(name) : served));
  if (chosen.length === 0) throw new Error(`${metadata.name}: no version is served: name the versions that are wanted`);
  return chosen.sort((a, b) => Number(b.storage) - Number(a.storage)).map(({ name }) => name);
}

function servedBy({ metadata, spec }: Definition, name: string): ServedKind {
  const { group, scope, names, versions } = spec;
  const schema = versions.find((version) => version.name === name)?.schema?.openAPIV3Schema;
  if (!schema) throw new Error(`${metadata.name}: version ${name} has no schema: set schema.openAPIV3Schema`);
  return { group, version: name, kind: names.kind, plural: names.plural, scope, schema };
}
