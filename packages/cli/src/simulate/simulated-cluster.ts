import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { isRecord, type KubeObject } from "@kubewright/apimachinery";
import { readManifests } from "@kubewright/client/apply";
import type { UserKind } from "@kubewright/simulation";
import type { CommandContext } from "../command/context.ts";
import { CommandError, UsageError } from "../command/errors.ts";

/** Flags that describe the cluster that a program expects. */
export interface ClusterSources {
  /** Files and folders with CRDs and other objects. */
  readonly crds: readonly string[];
  /** Names of the kinds that users create. */
  readonly kinds?: string;
}

/** The cluster that a program expects. */
export interface SimulatedCluster {
  readonly crds: readonly object[];
  /** Kinds whose objects users create. */
  readonly kinds: readonly UserKind[];
  /** Objects to create before the program starts. */
  readonly objects: readonly KubeObject[];
  /** Samples of objects that users create, keyed by kind. */
  readonly samples: Readonly<Record<string, readonly object[]>>;
}

/** Folders to which kubebuilder and Kubewright write CRDs. */
export const usualFolders = ["config/crd/bases", "config/crd"] as const;

/**
 * Reads the cluster that the program expects.
 *
 * @throws {UsageError} if there are no CRDs, or if `--kinds` contains a kind that they do not define
 */
export async function readCluster(
  { cwd, io }: CommandContext,
  flags: ClusterSources,
  signal: AbortSignal,
): Promise<SimulatedCluster> {
  const usual = usualFolders.find((folder) => existsSync(join(cwd, folder)));
  const places = flags.crds.length > 0 ? flags.crds : usual === undefined ? [] : [usual];
  if (places.length === 0)
    throw new UsageError(
      `neither ${usualFolders.join(" nor ")} exists: pass the file or folder with your CRDs to --crds`,
    );
  const files = places.map((place) => (place === "-" || /^https?:/.test(place) ? place : resolve(cwd, place)));
  const read = await readManifests({ files }, { signal, ...(io.stdin ? { stdin: io.stdin } : {}) });
  const [bad] = read.unreadable.filter(({ source }) => !/(^|\/)kustomization\.ya?ml\b/.test(source));
  if (bad) throw new CommandError(`${bad.source}: ${bad.error.message}`, { cause: bad.error });
  const all = read.manifests.map(({ object }) => object).filter(({ kind }) => kind !== "Kustomization");
  const crds = all.filter(({ kind }) => kind === "CustomResourceDefinition");
  const kinds = kindsOf(crds, flags.kinds);
  if (kinds.length === 0) throw new UsageError(`${places.join(", ")}: no CustomResourceDefinition found`);
  const isSample = (object: KubeObject): boolean =>
    kinds.some(({ group, kind }) => kind === object.kind && object.apiVersion.startsWith(`${group}/`));
  const samples = Object.groupBy(all.filter(isSample), ({ kind }) => kind);
  const objects = all.filter((object) => !crds.includes(object) && !isSample(object));
  return { crds, kinds, objects, samples: samples as Readonly<Record<string, readonly object[]>> };
}

/**
 * Returns the kinds that CRDs define.
 *
 * @param names names of the kinds to return, separated by commas. Default: all
 * @throws {UsageError} if the CRDs do not define a kind in `names`
 */
export function kindsOf(crds: readonly object[], names?: string): readonly UserKind[] {
  const found = crds.flatMap((crd) => kindOf(crd) ?? []);
  const named = names?.split(",").map((name) => name.trim());
  const unknown = named?.find((name) => !found.some(({ kind }) => kind === name));
  if (unknown !== undefined)
    throw new UsageError(
      `--kinds ${unknown}: the CRDs define only ${found.map(({ kind }) => kind).join(", ") || "no kinds"}`,
    );
  return named ? found.filter(({ kind }) => named.includes(kind)) : found;
}

/** Returns the kind that a CRD defines, in the version that is stored, or undefined if the CRD is not complete. */
function kindOf(crd: object): UserKind | undefined {
  const { spec } = crd as { readonly spec?: unknown };
  if (!isRecord(spec) || !isRecord(spec.names) || !Array.isArray(spec.versions)) return undefined;
  const { group, names, scope } = spec;
  const versions: readonly unknown[] = spec.versions;
  const served = versions.filter(isRecord).filter((version) => version.served === true);
  const { name: version } = served.find(({ storage }) => storage === true) ?? served[0] ?? {};
  const { kind, plural } = names;
  const isNamed = typeof group === "string" && typeof version === "string" && typeof kind === "string";
  if (!isNamed || typeof plural !== "string") return undefined;
  return {
    group,
    version,
    kind,
    plural,
    scope: scope === "Cluster" ? "Cluster" : "Namespaced",
    crd: crd as UserKind["crd"],
  };
}
