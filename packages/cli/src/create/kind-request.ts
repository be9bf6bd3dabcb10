import { pluralOf } from "@kubewright/apimachinery";
import { versionSuffix } from "@kubewright/codegen";
import { UsageError } from "../command/errors.ts";
import type { ApiKind } from "../generate/api-kinds.ts";
import { exportNameOf } from "../project/code-names.ts";
import { checkFlag, fileNameOf } from "../project/names.ts";
import type { Project } from "../project/project.ts";

/** Flags that identify a kind. */
export interface KindFlags {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly plural?: string;
  readonly shortName?: readonly string[];
  readonly clusterScoped?: true;
  /** Name for an external kind in TypeScript. */
  readonly as?: string;
}

/** A kind, either existing or to be created. */
export interface KindRequest {
  /** Full API group, including the project's domain. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** Values of `--short-name`. */
  readonly shortNames: readonly string[] | undefined;
  readonly scope: "Namespaced" | "Cluster";
  /**
   * Export name, such as `Site`. A second version is exported as `SiteV1Beta1`, for example, and a kind named like a global (`Map`) as
   * `MapResource`.
   */
  readonly exportName: string;
  /** Path of the version's module, such as `src/api/site.ts`. */
  readonly path: string;
  /** True if this is the kind's first version, which controllers use. */
  readonly isFirst: boolean;
  /** True if the version already exists. */
  readonly exists: boolean;
  /** Existing versions of the kind. */
  readonly versions: readonly string[];
  /** Newest of the other versions, from which a new version is copied. */
  readonly newest: ApiKind | undefined;
}

/**
 * Resolves the flags to a kind. A second version of a kind gets its own file and inherits the first version's scope.
 *
 * @param present the project's own kinds
 * @throws {UsageError} if a flag is invalid, the kind exists with a different scope, plural or group, or another kind
 * uses one of its names
 */
export function kindRequest(
  project: Project,
  present: readonly ApiKind[],
  flags: Required<Pick<KindFlags, "group" | "version" | "kind">> & KindFlags,
): KindRequest {
  const kind = checkFlag("kind", flags.kind);
  const version = checkFlag("version", flags.version);
  const group = `${checkFlag("group", flags.group)}.${project.domain}`;
  const same = present.filter((one) => one.kind === kind);
  const scope = flags.clusterScoped || same[0]?.scope === "Cluster" ? "Cluster" : "Namespaced";
  const exact = same.find((one) => one.version === version && one.group === group);
  const isFirst = same.length === 0 || exact?.path === `src/api/${fileNameOf(kind)}.ts`;
  const path = exact?.path ?? `src/api/${fileNameOf(kind)}${isFirst ? "" : `-${version}`}.ts`;
  for (const one of same) {
    if (one.scope !== scope)
      throw new UsageError(
        `--kind ${JSON.stringify(kind)}: ${one.path} defines the scope ${one.scope}, so ${path} cannot define ${scope}`,
      );
    if (one.group !== group)
      throw new UsageError(
        `--group ${JSON.stringify(flags.group)}: ${one.path} defines ${kind} in the group ${one.group}; choose a different kind`,
      );
  }
  const there = exact ?? same[0];
  const plural = checkFlag("plural", flags.plural ?? there?.plural ?? pluralOf(kind));
  if (there && there.plural !== plural)
    throw new UsageError(
      `--plural ${JSON.stringify(flags.plural)}: all versions share the plural ${there.plural} of ${there.path}; omit the flag`,
    );
  const exportName = exact?.exportName ?? (isFirst ? exportNameOf(kind) : `${kind}${versionSuffix(version)}`);
  const request = { group, kind, plural, exportName, path };
  if (!exact) for (const one of present) if (one.kind !== kind) rejectDuplicate(request, one);
  return {
    ...request,
    version,
    shortNames: flags.shortName?.map((name) => checkFlag("short-name", name)),
    scope,
    isFirst,
    exists: exact !== undefined,
    versions: same.map((one) => one.version).sort(),
    newest: same
      .filter((one) => one !== exact)
      .sort(byAge)
      .at(-1),
  };
}

/** Refuses a kind whose file, export name, list kind or plural another kind uses. */
function rejectDuplicate(
  request: Pick<KindRequest, "group" | "kind" | "plural" | "exportName" | "path">,
  other: ApiKind,
): void {
  const { group, kind, plural, exportName, path } = request;
  const [flag, value] = [`--kind ${JSON.stringify(kind)}`, `is used by ${other.kind} in ${other.path}`];
  const isOfGroup = other.group === group;
  if (fileNameOf(other.kind) === fileNameOf(kind) || other.path === path)
    throw new UsageError(`${flag}: its file ${path} ${value}; choose a different kind`);
  if (other.exportName === exportName)
    throw new UsageError(`${flag}: its export name ${exportName} ${value}; choose a different kind`);
  const listed = [kind, other.kind].find((one) => [kind, other.kind].includes(`${one}List`));
  if (isOfGroup && listed !== undefined)
    throw new UsageError(
      `${flag}: ${listed}List is the list kind of ${listed} and would conflict with ${other.kind} in ${other.path}; choose a different kind`,
    );
  if (isOfGroup && other.plural === plural)
    throw new UsageError(`--plural ${JSON.stringify(plural)} ${value}; choose a different plural with --plural`);
}

/**
 * Compares versions for `sort`, newest last: `v1`, `v2alpha1`, `v2beta1`, `v2`. Kubernetes' priority order differs: it puts stable versions
 * first.
 */
function byAge(a: ApiKind, b: ApiKind): number {
  const parts = ({ version }: ApiKind): readonly number[] => {
    const [, major = 0, stage, minor = 0] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
    return [Number(major), ["alpha", "beta", undefined].indexOf(stage), Number(minor)];
  };
  const [left, right] = [parts(a), parts(b)];
  const at = left.findIndex((part, index) => part !== right[index]);
  return (left[at] ?? 0) - (right[at] ?? 0);
}
