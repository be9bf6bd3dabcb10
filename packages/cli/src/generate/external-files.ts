import { type GeneratedFile, type KindFilesOptions, kindFiles } from "@kubewright/codegen";
import { CommandError, UsageError } from "../command/errors.ts";
import { textAt } from "../project/files.ts";
import { checkFlag } from "../project/names.ts";
import type { FoundDefinition } from "./definitions-in.ts";

/** Options for {@link externalFiles}. */
export interface ExternalFilesOptions extends KindFilesOptions {
  /** Value of `--as`: name of the kind in TypeScript. */
  readonly as?: string | undefined;
  /** Kinds that the project defines. They keep their names. */
  readonly own?: readonly string[] | undefined;
}

/** A kind by its group. */
interface Type {
  readonly group: string;
  readonly kind: string;
}

/**
 * Generates TypeScript files in a folder for the kinds in CRDs or an OpenAPI document. If several kinds need a file
 * with the same name, or the existing file was generated from a different source, the group is added to the file name,
 * so that no kind overwrites another kind's file.
 *
 * @throws {UsageError} if `as` is not a valid name or is in use, or if it is given for several kinds
 * @throws {CommandError} if a source is not valid, or files with the longer names also exist
 */
export function externalFiles(
  folder: string,
  sources: readonly FoundDefinition[],
  { as, own = [], ...options }: ExternalFilesOptions,
): GeneratedFile[] {
  if (as !== undefined) checkFlag("as", as);
  const grouped = new Set<string>();
  const generate = (): readonly (GeneratedFile & Type)[] =>
    sources.flatMap(({ source, value }) => {
      const types: Type[] = [];
      const nameOf = (type: Type): string => {
        types.push(type);
        return as ?? (grouped.has(keyOf(type)) ? nameWithGroup(type) : type.kind);
      };
      try {
        const files = kindFiles(value, { ...options, nameOf });
        return files.map((file, i) => ({ group: "", kind: "", ...types[i], ...file }));
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        throw new CommandError(`${source}: ${message}`, { cause: error });
      }
    });
  const first = generate();
  if (as !== undefined && first.length !== 1)
    throw new UsageError(
      `--as ${JSON.stringify(as)} applies to one kind, but there are ${first.length}; generate them one at a time`,
    );
  for (const file of first) if (own.includes(as ?? file.kind) || isTaken(folder, file, first)) grouped.add(keyOf(file));
  const files = grouped.size > 0 ? generate() : first;
  const taken = files.find((file) => grouped.has(keyOf(file)) && isTaken(folder, file, files));
  if (as !== undefined && grouped.size > 0)
    throw new UsageError(
      `--as ${JSON.stringify(as)}: ${first[0]?.path} belongs to a different kind; choose a different name`,
    );
  if (taken)
    throw new CommandError(`${taken.path} belongs to a different kind; choose a name for ${taken.kind} with --as`);
  return files.map(({ path, text }) => ({ path, text }));
}

const keyOf = ({ group, kind }: Type): string => `${kind}.${group}`;

/** Reports whether another kind has the file. A file in the folder belongs to the kind from whose source it was generated. */
function isTaken(folder: string, file: GeneratedFile, all: readonly GeneratedFile[]): boolean {
  const present = textAt(folder, file.path);
  if (present !== undefined) return sourceOf(present) !== sourceOf(file.text);
  return all.some(({ path, text }) => path === file.path && sourceOf(text) !== sourceOf(file.text));
}

/**
 * Returns the first line of a generated file, which contains the source, or undefined if the file was not generated.
 */
const sourceOf = (text: string): string | undefined =>
  /^\/\/ Written by kubewright generate kinds from .*/.exec(text)?.[0];

/** Returns the name of a kind with its group: `Gateway` of `networking.istio.io` becomes `NetworkingIstioGateway`. */
function nameWithGroup({ group, kind }: Type): string {
  const labels = group.split(".");
  const words = (labels.length > 1 ? labels.slice(0, -1) : labels).flatMap((label) => label.split(/[^A-Za-z0-9]+/));
  const prefix = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("") || "Core";
  return prefix + kind;
}
