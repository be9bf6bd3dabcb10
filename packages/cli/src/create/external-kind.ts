import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { judgeObjects } from "@kubewright/apiextensions";
import { definedBy, isRecord } from "@kubewright/apimachinery";
import { CustomResourceDefinition } from "@kubewright/client/kinds";
import { crdText, type SampleObject, sampleObject } from "@kubewright/codegen";
import { withClient } from "../cluster/connect.ts";
import type { ClusterFlags, CommandContext } from "../command/context.ts";
import { CommandError, UsageError } from "../command/errors.ts";
import { type ApiKind, apiKinds } from "../generate/api-kinds.ts";
import { definitionsIn, type FoundDefinition } from "../generate/definitions-in.ts";
import { externalFiles } from "../generate/external-files.ts";
import type { TextFile } from "../project/files.ts";
import { fileNameOf } from "../project/names.ts";
import { type ImportedKind, importedAs } from "./controller-text.ts";
import type { KindFlags } from "./kind-request.ts";

/** An external kind to add to a project. */
export interface ExternalKind {
  /** Files with the kind's types and CRD. They belong to the kind's author and are overwritten each time. */
  readonly files: readonly TextFile[];
  readonly imported: ImportedKind;
  /** Path of the CRD, such as `src/external/certificates.cert-manager.io.yaml`. */
  readonly definitionPath: string;
  /** Sample object of the kind, and the errors that a person must correct in it. */
  readonly sample: SampleObject;
}

/**
 * Reads an external kind from a CRD in a file or in the cluster.
 *
 * @throws {UsageError} if a flag sets something that the CRD already defines, or the flags match several CRDs
 * @throws {CommandError} if the CRD does not exist, or the project defines the kind itself
 */
export async function externalKind(
  context: CommandContext,
  root: string,
  place: string,
  flags: KindFlags & ClusterFlags,
  signal: AbortSignal,
): Promise<ExternalKind> {
  for (const [flag, value] of Object.entries({
    plural: flags.plural,
    "short-name": flags.shortName,
    "cluster-scoped": flags.clusterScoped,
  }))
    if (value !== undefined) throw new UsageError(`--${flag}: the CRD in --external determines this; omit the flag`);
  const definition = chosen(await found(context, place, flags, signal), place, flags);
  const { source } = definition;
  const present = await apiKinds(root, { signal, err: context.io.err });
  try {
    return read(join(root, folder), present, definition, flags);
  } catch (error) {
    throw error instanceof UsageError || error instanceof CommandError
      ? error
      : new CommandError(`${source}: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        });
  }
}

function found(
  context: CommandContext,
  place: string,
  flags: ClusterFlags,
  signal: AbortSignal,
): Promise<FoundDefinition[]> {
  const isFile = /^-$|^https?:|[\\/]|\.(?:ya?ml|json)$/.test(place) || existsSync(resolve(context.cwd, place));
  if (isFile) return definitionsIn(context, place, signal);
  if (!/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(place))
    throw new UsageError(
      `--external ${JSON.stringify(place)} is neither a file nor the name of a CRD, such as "certificates.cert-manager.io"`,
    );
  return withClient(context, flags, async (client) => {
    const value = await client.get(CustomResourceDefinition, place, { signal });
    return [{ source: place, value }];
  });
}

function chosen(all: readonly FoundDefinition[], place: string, { group, kind }: KindFlags): FoundDefinition {
  const named = all.map((one) => ({ one, ...namesOf(one.value) }));
  const fitting = named.filter(
    (it) =>
      (kind === undefined || it.kind === kind) &&
      (group === undefined || it.group === group || it.group.startsWith(`${group}.`)),
  );
  const [first, second] = fitting;
  const there = named.map((it) => `${it.kind}.${it.group}`).join(", ");
  if (!first)
    throw new CommandError(
      `--external ${JSON.stringify(place)} contains ${there}; no kind in it matches --group and --kind`,
    );
  if (second) throw new UsageError(`--external ${JSON.stringify(place)} contains ${there}; choose one with --kind`);
  return first.one;
}

function namesOf(value: object): { readonly group: string; readonly kind: string } {
  const { spec } = isRecord(value) ? value : {};
  const { group, names } = isRecord(spec) ? spec : {};
  return { group: String(group), kind: String(isRecord(names) ? names.kind : undefined) };
}

/** Folder for the files of external kinds. */
const folder = "src/external";

function read(
  target: string,
  present: readonly ApiKind[],
  definition: FoundDefinition,
  { version, as }: KindFlags,
): ExternalKind {
  const { value } = definition;
  const defined = definedBy(value, version);
  const { group, plural, kind, scope } = defined;
  const own = present.find((one) => one.kind === kind && one.group === group);
  if (own) throw new UsageError(`--external: the project already defines ${kind} of ${group} in ${own.path}`);
  const versions = version === undefined ? undefined : [version];
  const [types] = externalFiles(target, [definition], { versions, as, own: present.map((one) => one.kind) });
  const exportName = /^export const (\w+): Kind</m.exec(types?.text ?? "")?.[1];
  if (!types || exportName === undefined) throw new Error("the CRD defines no kind");
  const definitionPath = `${folder}/${plural}.${group}.yaml`;
  const name = types.path.replace(/\.ts$/, "");
  return {
    files: [
      { path: `${folder}/${types.path}`, text: types.text },
      { path: definitionPath, text: crdText(value) },
    ],
    imported: {
      kind,
      ...importedAs(exportName),
      module: `../external/${types.path}`,
      scope: scope === "Cluster" ? "Cluster" : "Namespaced",
      file: name === "index" ? fileNameOf(kind) : name,
    },
    definitionPath,
    sample: sampleObject(defined, judgeObjects(value, defined.version)),
  };
}
