import { pluralOf } from "@kubewright/apimachinery";
import { UsageError } from "../command/errors.ts";
import type { ApiKind } from "../generate/api-kinds.ts";
import { checkFlag, fileNameOf } from "../project/names.ts";
import type { Project } from "../project/project.ts";

/** Flags that say which kind is meant. */
export interface KindFlags {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly plural?: string;
  readonly shortName?: readonly string[];
  readonly clusterScoped?: true;
}

/** A kind that is to be made, or that is there. */
export interface KindRequest {
  /** With the domain. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  /** The name that its module exports it by: `Site`, and `SiteV1Beta1` for a second version. */
  readonly exportName: string;
  /** `src/api/site.ts` */
  readonly path: string;
  /** Whether it is there. */
  readonly exists: boolean;
  /** Versions of it that are there. */
  readonly versions: readonly string[];
}

/**
 * The kind that the flags mean. A second version of a kind gets a file of its own.
 *
 * @param present the project's own kinds
 * @throws {UsageError} if a flag is wrong, or the kind is there with another scope or in another group
 */
export function kindRequest(
  project: Project,
  present: readonly ApiKind[],
  flags: Required<Pick<KindFlags, "group" | "version" | "kind">> & KindFlags,
): KindRequest {
  const kind = checkFlag("kind", flags.kind);
  const version = checkFlag("version", flags.version);
  const group = `${checkFlag("group", flags.group)}.${project.domain}`;
  const scope = flags.clusterScoped ? "Cluster" : "Namespaced";
  const same = present.filter((one) => one.kind === kind);
  const exact = same.find((one) => one.version === version && one.group === group);
  const isFirst = same.length === 0 || exact?.path === `src/api/${fileNameOf(kind)}.ts`;
  const path = exact?.path ?? `src/api/${fileNameOf(kind)}${isFirst ? "" : `-${version}`}.ts`;
  for (const one of same) {
    if (one.scope !== scope)
      throw new UsageError(
        `--kind ${JSON.stringify(kind)}: is ${one.scope} in ${one.path}, and would be ${scope} in ${path}`,
      );
    if (one.group !== group)
      throw new UsageError(
        `--group ${JSON.stringify(flags.group)}: ${one.path} has ${kind} in the group ${one.group}: choose another kind`,
      );
  }
  return {
    group,
    version,
    kind,
    plural: checkFlag("plural", flags.plural ?? pluralOf(kind)),
    shortNames: (flags.shortName ?? []).map((name) => checkFlag("short-name", name)),
    scope,
    exportName: exact?.exportName ?? (isFirst ? kind : `${kind}${versionSuffix(version)}`),
    path,
    exists: exact !== undefined,
    versions: same.map((one) => one.version).sort(),
  };
}

const versionSuffix = (version: string): string =>
  version.replace(/^v/, "V").replace("alpha", "Alpha").replace("beta", "Beta");
