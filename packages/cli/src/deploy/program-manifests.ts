import { isDns1123Label } from "@kubewright/apimachinery";
import { type Manifest, nameOf, parseManifests, readManifests } from "@kubewright/client/apply";
import { kustomizeFiles } from "@kubewright/codegen";
import { type NeededAccess, neededAccess } from "@kubewright/rbac";
import { CommandError, UsageError } from "../command/errors.ts";
import type { DescribedProgram } from "../generate/describe-program.ts";
import { settingsOf } from "../generate/generate.ts";
import type { Project } from "../project/project.ts";

/** Folders in `config` that a deployment includes, the same ones as in `config/default`. */
const deployed = new Set(["crd", "rbac", "webhook", "manager", "network-policy", "default"]);

/**
 * Generates the program's objects, instead of reading them from `config/`.
 *
 * @throws {RefusedDefinitionError} if the API server would reject a CRD
 */
export function programManifests(project: Project, program: DescribedProgram, namespace: string): Manifest[] {
  const files = kustomizeFiles(program, { ...settingsOf(project, program), namespace });
  return files
    .filter(({ path }) => deployed.has(path.slice(0, path.indexOf("/"))) && !path.endsWith("/kustomization.yaml"))
    .flatMap(({ path, text }) => whole(parseManifests(text, `config/${path}`)));
}

/** Builds a folder with `kubectl kustomize`. @throws {CommandError} with kubectl's error message */
export async function kustomizedManifests(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<Manifest[]> {
  return whole(await readManifests({ kustomize: [folder] }, { signal, env: { ...env } }));
}

function whole({ manifests, unreadable: [bad] }: Awaited<ReturnType<typeof readManifests>>): Manifest[] {
  if (bad) throw new CommandError(`${bad.source}: ${bad.error.message}`, { cause: bad.error });
  return [...manifests];
}

/**
 * Returns the Deployment that runs the program.
 *
 * @throws {CommandError} if none or more than one Deployment qualifies
 */
export function deploymentIn(manifests: readonly Manifest[], program: string): Manifest {
  const all = manifests.filter(({ object }) => object.kind === "Deployment");
  const own = all.filter(({ object }) => object.metadata.labels?.["app.kubernetes.io/name"] === program);
  const [found, ...more] = own.length > 0 ? own : all;
  if (found && more.length === 0) return found;
  const names = all.map(({ object }) => nameOf(object)).join(", ");
  throw new CommandError(
    `exactly one Deployment must run the program and have the label app.kubernetes.io/name: ${program}; found ${names || "none"}`,
  );
}

/** Returns the permissions that the program's roles must grant. */
export const accessOf = (project: Project, program: DescribedProgram, namespace: string): NeededAccess[] =>
  neededAccess(program, namespace, settingsOf(project, program));

/**
 * Returns the namespace given by the flag, or the program's default namespace. @throws {UsageError} if the namespace's name is not valid
 */
export function namespaceFrom(flag: string | undefined, program: string): string {
  if (flag === undefined) return `${program}-system`;
  const [problem] = isDns1123Label(flag);
  if (problem) throw new UsageError(`--namespace ${JSON.stringify(flag)}: ${problem}`);
  return flag;
}
