import { pluralOf } from "@kubewright/apimachinery";
import { UsageError } from "../command/errors.ts";
import type { ApiKind } from "../generate/api-kinds.ts";
import { exportNameOf } from "../project/code-names.ts";
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
  /** What `--short-name` said. */
  readonly shortNames: readonly string[] | undefined;
  readonly scope: "Namespaced" | "Cluster";
  /** The name that its module exports it by: `Site`, `SiteV1Beta1` for a second version, and `MapResource` where there is another `Map`. */
  readonly exportName: string;
  /** `src/api/site.ts` */
  readonly path: string;
  /** Whether controllers see this version, and not another one that was made before. */
  readonly isFirst: boolean;
  /** Whether it is there. */
  readonly exists: boolean;
  /** Versions of it that are there. */
  readonly versions: readonly string[];
  /** Of another version than this one, the newest: what the definition begins with. */
  readonly newest: ApiKind | undefined;
}

/**
 * The kind that the flags mean. A second version of a kind gets a file of its own, and has the scope of the first.
 *
 * @param present the project's own kinds
 * @throws {UsageError} if a flag is wrong, the kind is there with another scope, plural or group, or another one has its names
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
        `--kind ${JSON.stringify(kind)}: is ${one.scope} in ${one.path}, and would be ${scope} in ${path}`,
      );
    if (one.group !== group)
      throw new UsageError(
        `--group ${JSON.stringify(flags.group)}: ${one.path} has ${kind} in the group ${one.group}: choose another kind`,
      );
  }
  const there = exact ?? same[0];
  const plural = checkFlag("plural", flags.plural ?? there?.plural ?? pluralOf(kind));
  if (there && there.plural !== plural)
    throw new UsageError(
      `--plural ${JSON.stringify(flags.plural)}: ${there.path} has ${there.plural}, and versions share it: leave the flag out`,
    );
  const exportName = exact?.exportName ?? (isFirst ? exportNameOf(kind) : `${kind}${versionSuffix(version)}`);
  const request = { group, kind, plural, exportName, path };
  if (!exact) for (const one of present) if (one.kind !== kind) refuseTwin(request, one);
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

/** Two kinds may not share what files, code or the API server know them by. */
function refuseTwin(
  request: Pick<KindRequest, "group" | "kind" | "plural" | "exportName" | "path">,
  other: ApiKind,
): void {
  const { group, kind, plural, exportName, path } = request;
  const [flag, value] = [`--kind ${JSON.stringify(kind)}`, `is ${other.kind}'s in ${other.path}`];
  const isOfGroup = other.group === group;
  if (fileNameOf(other.kind) === fileNameOf(kind) || other.path === path)
    throw new UsageError(`${flag}: its file ${path} ${value}: choose another kind`);
  if (other.exportName === exportName)
    throw new UsageError(`${flag}: the name ${exportName} in code ${value}: choose another kind`);
  const listed = [kind, other.kind].find((one) => [kind, other.kind].includes(`${one}List`));
  if (isOfGroup && listed !== undefined)
    throw new UsageError(
      `${flag}: ${listed}List is what lists of ${listed} are, and ${other.kind} is in ${other.path}: choose another kind`,
    );
  if (isOfGroup && other.plural === plural)
    throw new UsageError(`--plural ${JSON.stringify(plural)}: ${value}: give ${kind} another one by --plural`);
}

const versionSuffix = (version: string): string =>
  version.replace(/^v/, "V").replace("alpha", "Alpha").replace("beta", "Beta");

/** For `sort`, the newest last: `v1`, `v2alpha1`, `v2beta1`, `v2`. It is not the order of preference, where `v1` comes before `v2beta1`. */
function byAge(a: ApiKind, b: ApiKind): number {
  const parts = ({ version }: ApiKind): readonly number[] => {
    const [, major = 0, stage, minor = 0] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
    return [Number(major), ["alpha", "beta", undefined].indexOf(stage), Number(minor)];
  };
  const [left, right] = [parts(a), parts(b)];
  const at = left.findIndex((part, index) => part !== right[index]);
  return (left[at] ?? 0) - (right[at] ?? 0);
}
