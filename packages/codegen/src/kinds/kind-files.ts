import { type Definition, readDefinition } from "../source/definition.ts";
import { isOpenApi, openApiKinds } from "../source/openapi-kinds.ts";
import type { ServedKind } from "../source/served-kind.ts";
import { kebab } from "../text/names.ts";
import { interfaceFile } from "./interface-file.ts";
import { typeboxFile } from "./typebox-file.ts";

/** A generated file, which the caller may write. */
export interface GeneratedFile {
  /** Path relative to the target folder. */
  readonly path: string;
  readonly text: string;
}

/** Options for {@link kindFiles}. `kubewright generate kinds` has a flag for each option. */
export interface KindFilesOptions {
  /**
   * Style of the generated text: `interface` for interfaces and a `Kind`, or `typebox` for a `defineKind` that reproduces the schema.
   * Default `interface`.
   */
  readonly style?: "interface" | "typebox" | undefined;
  /** True to include the CRD, which adds `crd` and `parse` to the kind. Only for CRDs in the style `interface`. Default false. */
  readonly schema?: boolean | undefined;
  /** Versions of the CRD to generate. Default: all served versions. */
  readonly versions?: readonly string[] | undefined;
  /** Returns the name of a kind in TypeScript, which also determines its file name. Default: the kind itself. */
  readonly nameOf?: ((kind: { readonly group: string; readonly kind: string }) => string) | undefined;
  /** Module from which the text imports. Default `kubewright`. */
  readonly library?: string | undefined;
}

/**
 * Returns TypeScript for the kinds in a CustomResourceDefinition (`apiextensions.k8s.io/v1`) or in an API group's
 * OpenAPI v3 document, with one file per kind. For the stored version, the kind's name is used; for other versions, the
 * version is added as a suffix.
 *
 * @throws {Error} if the source is neither a CRD nor such a document (the message contains the invalid field), if a
 *   version does not exist, or if an option requires a CRD
 */
export function kindFiles(source: unknown, options: KindFilesOptions = {}): GeneratedFile[] {
  const { style = "interface", schema = false, library = "kubewright", nameOf = ({ kind }) => kind } = options;
  if (style !== "interface" && style !== "typebox")
    throw new Error(`style: ${JSON.stringify(style)}: must be interface or typebox`);
  if (isOpenApi(source)) {
    if (style === "typebox" || schema)
      throw new Error(
        `${schema ? "schema" : "style typebox"} requires a CustomResourceDefinition, not an OpenAPI document`,
      );
    return openApiKinds(source).map((kind) => {
      const own = nameOf(kind);
      return file(own, sourceOf(kind), interfaceFile([kind], { name: own, library }));
    });
  }
  const definition = readDefinition(source);
  const { name } = definition.metadata;
  const versions = chosenVersions(definition, options.versions);
  const own = nameOf({ group: definition.spec.group, kind: definition.spec.names.kind });
  if (style === "typebox") return [file(own, name, typeboxFile(definition, versions, own, library))];
  const served = versions.map((version) => servedBy(definition, version));
  const given = schema ? definition : undefined;
  return [file(own, name, interfaceFile(served, { name: own, library, definition: given }))];
}

const sourceOf = ({ group, version }: ServedKind): string => (group === "" ? version : `${group}/${version}`);

const file = (kind: string, source: string, text: string): GeneratedFile => ({
  path: `${kebab(kind)}.ts`,
  text: `// Written by kubewright generate kinds from ${printable(source)}; do not edit, run it again.\n${visible(text)}`,
});

/** Matches characters that hide or reorder text in an editor or terminal, but not line ends and tabs. */
const hiding = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;

/**
 * Escapes characters with which a foreign definition could disguise what the code does. They occur only in comments and
 * strings.
 */
const visible = (text: string): string =>
  text.replace(hiding, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Escapes a name from a CRD or OpenAPI document, which could otherwise end the comment that contains it. */
const printable = (name: string): string => name.replace(/[^\x20-\x7e]/g, "?");

/** Returns the stored version first, then the others in the CRD's order. */
function chosenVersions({ metadata, spec }: Definition, wanted: readonly string[] | undefined): string[] {
  const known = spec.versions.map(({ name }) => name);
  const missing = wanted?.find((name) => !known.includes(name));
  if (missing !== undefined)
    throw new Error(`${metadata.name} has no version ${JSON.stringify(missing)}; it has only ${known.join(", ")}`);
  const chosen = spec.versions.filter(({ name, served }) => (wanted ? wanted.includes(name) : served));
  if (chosen.length === 0) throw new Error(`${metadata.name} serves no version; list the versions to generate`);
  return chosen.sort((a, b) => Number(b.storage) - Number(a.storage)).map(({ name }) => name);
}

function servedBy({ metadata, spec }: Definition, name: string): ServedKind {
  const { group, scope, names, versions } = spec;
  const schema = versions.find((version) => version.name === name)?.schema?.openAPIV3Schema;
  if (!schema) throw new Error(`${metadata.name}: version ${name} has no schema; set schema.openAPIV3Schema`);
  return { group, version: name, kind: names.kind, plural: names.plural, scope, schema };
}
