import { isDns1123Label } from "@kubewright/apimachinery";
import { type Manifest, nameOf, parseManifests, readManifests } from "@kubewright/client/apply";
import { kustomizeFiles, type NeededAccess, neededAccess } from "@kubewright/codegen";
import { NotSoError, UsageError } from "../command/errors.ts";
import { onOneLine } from "../command/printable.ts";
import type { DescribedProgram } from "../generate/describe-program.ts";
import { settingsOf } from "../generate/generate.ts";
import type { Project } from "../project/project.ts";

/** Folders of `config` that make up a deployment, as its `default` does. */
const deployed = new Set(["crd", "rbac", "webhook", "manager", "network-policy", "default"]);

/** The program's objects, whatever `config/` says. @throws {RefusedDefinitionError} if the API server would refuse a definition */
export function programManifests(project: Project, program: DescribedProgram, namespace: string): Manifest[] {
  const files = kustomizeFiles(program, { ...settingsOf(project, program), namespace });
  return files
    .filter(({ path }) => deployed.has(path.slice(0, path.indexOf("/"))) && !path.endsWith("/kustomization.yaml"))
    .flatMap(({ path, text }) => whole(parseManifests(text, `config/${path}`)));
}

/** What `kubectl kustomize` makes of a folder. @throws {NotSoError} with what it says */
export async function kustomizedManifests(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<Manifest[]> {
  return whole(await readManifests({ kustomize: [folder] }, { signal, env: { ...env } }));
}

function whole({ manifests, unreadable: [bad] }: Awaited<ReturnType<typeof readManifests>>): Manifest[] {
  if (bad) throw new NotSoError(`${bad.source}: ${onOneLine(bad.error.message)}`, { cause: bad.error });
  return [...manifests];
}

/** The Deployment that is the program. @throws {NotSoError} if it cannot be told which one */
export function deploymentIn(manifests: readonly Manifest[], program: string): Manifest {
  const all = manifests.filter(({ object }) => object.kind === "Deployment");
  const own = all.filter(({ object }) => object.metadata.labels?.["app.kubernetes.io/name"] === program);
  const [found, ...more] = own.length > 0 ? own : all;
  if (found && more.length === 0) return found;
  const names = all.map(({ object }) => nameOf(object)).join(", ");
  throw new NotSoError(
    `one Deployment must be the program, with the label app.kubernetes.io/name: ${program}; ${names ? `there are ${names}` : "there is none"}`,
  );
}

/** What the program's roles are to permit, where it runs. */
export const accessOf = (project: Project, program: DescribedProgram, namespace: string): NeededAccess[] =>
  neededAccess(program, namespace, settingsOf(project, program));

/** @throws {UsageError} if no namespace is called so */
export function namespaceFrom(flag: string | undefined, program: string): string {
  if (flag === undefined) return `${program}-system`;
  const [problem] = isDns1123Label(flag);
  if (problem) throw new UsageError(`--namespace ${JSON.stringify(flag)}: ${problem}`);
  return flag;
}
