import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Unstructured } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import type { ApplyResult, Manifest } from "@kubewright/client/apply";
import { documentText } from "@kubewright/codegen";
import type { Command } from "commander";
import { noSourceMap } from "../build/bundle-program.ts";
import { withClient } from "../cluster/connect.ts";
import { timeoutMsOf } from "../cluster/timeout.ts";
import { type ClusterFlags, type CommandContext, withClusterFlags, withExample } from "../command/context.ts";
import { UsageError } from "../command/errors.ts";
import { Report } from "../command/report.ts";
import { type DescribedProgram, describeProgram } from "../generate/describe-program.ts";
import { parseReference } from "../image/registry/reference.ts";
import { findProject, type Project } from "../project/project.ts";
import { applyDeployment } from "./apply-deployment.ts";
import { imageManifests, inlineBundle, inlineManifests, isRunAsProcess } from "./inline-manifests.ts";
import { preflight } from "./preflight.ts";
import { accessOf, deploymentIn, kustomizedManifests, namespaceFrom, programManifests } from "./program-manifests.ts";
import { stuckPods } from "./stuck-pods.ts";

interface DeployFlags extends ClusterFlags {
  readonly image?: string;
  readonly inline?: true;
  readonly inCluster?: true;
  readonly sourceMap: boolean;
  readonly kustomize?: string;
  readonly namespace?: string;
  readonly render?: string;
  readonly dryRun?: true;
  readonly forceConflicts?: true;
  readonly timeout: string;
}

export function addDeploy(program: Command, context: CommandContext): void {
  const command = program
    .command("deploy")
    .description("deploy the program and wait until it is available")
    .option("--image <reference>", "image of the program, as pushed by kubewright image")
    .option("--inline", "store the program in a Secret and run it in a stock Node.js image")
    .option(
      "--in-cluster",
      "with --inline: omit @kubernetes/client-node, even if kubewright/exec is imported; only for programs that never run outside a cluster",
    )
    .option(...noSourceMap)
    .option("-k, --kustomize <folder>", "deploy this kustomization instead of generated manifests")
    .option("-n, --namespace <name>", "the program's namespace (default: NAME-system)")
    .option("--render <file>", "write the manifests to a file (- for standard output) instead of applying them")
    .option("--dry-run", "have the server validate the objects without storing them")
    .option("--force-conflicts", "take over fields owned by other managers")
    .option("--timeout <duration>", "maximum total time to wait", "120s")
    .action((flags: DeployFlags) => context.run((signal) => run(context, flags, signal)));
  withExample(withClusterFlags(command), "npx kubewright deploy --inline --render shop.yaml");
}

interface Plan {
  readonly project: Project;
  readonly program: DescribedProgram;
  readonly manifests: readonly Manifest[];
  /** With `--inline`: manifests for a development control plane that runs the program as a process. */
  readonly onPlane?: readonly Manifest[] | undefined;
  readonly deployment: Unstructured;
  readonly namespace: string;
  readonly serviceAccount: string;
}

async function run(context: CommandContext, flags: DeployFlags, signal: AbortSignal): Promise<number> {
  const project = findProject(context.cwd);
  checkFlags(flags, project);
  const timeoutMs = timeoutMsOf(flags.timeout);
  const plan = await planOf(context, project, flags, signal);
  if (flags.render !== undefined) return render(context, flags, flags.render, plan);
  return withClient(context, flags, async (client) => {
    const { onPlane, manifests } = plan;
    const wanted = onPlane && (await isRunAsProcess(client)) ? onPlane : manifests;
    return apply(context, flags, { ...plan, manifests: wanted }, { client, timeoutMs, signal });
  });
}

/** Checks the combination of flags. @throws {UsageError} if flags cannot be used together or a required one is missing */
function checkFlags(
  { image, inline, inCluster, sourceMap, kustomize, namespace }: DeployFlags,
  { deployment }: Project,
): void {
  if (image !== undefined) parseReference(image, "--image");
  if (image !== undefined && inline) throw new UsageError("--image and --inline cannot be used together");
  if (inCluster && !inline) throw new UsageError("--in-cluster requires --inline");
  if (!sourceMap && !inline)
    throw new UsageError("--no-source-map requires --inline; for images, pass it to kubewright image");
  if (kustomize !== undefined && namespace !== undefined)
    throw new UsageError("--namespace and -k cannot be used together; set namespace: NAME in the kustomization");
  if (image === undefined && !inline && kustomize === undefined && deployment?.image === undefined)
    throw new UsageError(
      "deploy: pass --image REFERENCE or --inline, or -k FOLDER with a kustomization that sets the image",
    );
}

async function planOf(
  { io, cwd }: CommandContext,
  project: Project,
  { image, inline, inCluster, sourceMap, kustomize, namespace: place = project.deployment?.namespace }: DeployFlags,
  signal: AbortSignal,
): Promise<Plan> {
  const { root } = project;
  const program = await describeProgram(root, "src/operator.ts", {
    signal,
    err: io.err,
    podNamespace: place,
  });
  const wanted = namespaceFrom(place, program.name);
  const plain =
    kustomize === undefined
      ? programManifests(project, program, wanted)
      : await kustomizedManifests(resolve(cwd, kustomize), io.env, signal);
  const deployment = deploymentIn(plain, program.name);
  const bundle = inline && (await inlineBundle(root, program.name, { inCluster, sourceMap }));
  const manifests = bundle
    ? inlineManifests(plain, deployment, bundle)
    : image === undefined
      ? plain
      : imageManifests(plain, deployment, image);
  const namespace = deployment.object.metadata.namespace ?? "default";
  const onPlane = bundle && inlineManifests(plain, deployment, { ...bundle, hasAnyUser: true });
  const serviceAccount = serviceAccountOf(deployment);
  return { project, program, manifests, onPlane, deployment: deployment.object, namespace, serviceAccount };
}

function serviceAccountOf({ object }: Manifest): string {
  let at: unknown = object;
  for (const field of ["spec", "template", "spec", "serviceAccountName"])
    at = typeof at === "object" && at !== null ? Reflect.get(at, field) : undefined;
  return typeof at === "string" ? at : "default";
}

function render({ io, cwd }: CommandContext, flags: DeployFlags, file: string, { manifests }: Plan): number {
  const text = manifests.map(({ object }) => documentText(object)).join("---\n");
  if (file === "-") io.out(text);
  else writeFileSync(resolve(cwd, file), text);
  if (file === "-") return 0;
  const report = new Report<object>(io, flags);
  report.add({ path: file, objects: manifests.length }, `  ${file}  ${manifests.length} objects`);
  report.end();
  return 0;
}

interface Running {
  readonly client: Client;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

async function apply(
  { io }: CommandContext,
  flags: DeployFlags,
  { project, program, manifests, deployment: runBy, namespace, serviceAccount }: Plan,
  { client, timeoutMs, signal }: Running,
): Promise<number> {
  const report = new Report<object>(io, flags);
  const dryRun = flags.dryRun ?? false;
  const onResult = ({ outcome, name, source, reason }: ApplyResult): void => {
    const isFailed = outcome === "failed";
    const line = isFailed ? `${source ? `${source}: ` : ""}${name} failed: ${reason}` : undefined;
    report.add({ outcome, name, ...(reason ? { reason } : {}) }, line, isFailed);
  };
  const force = flags.forceConflicts ?? false;
  const labelsOthers = flags.kustomize !== undefined; // the user wrote the namespace into the kustomization
  const note = (line: string): void => report.add({ outcome: "note", reason: line }, line);
  const how = { program, runBy, namespace, labelsOthers, dryRun, force, timeoutMs, signal, onResult, note };
  const done = await applyDeployment(client, manifests, how);
  const { objects, applied, pruned, hasFailed, availableMs, deployment } = done;
  const counted = `${applied === objects ? applied : `${applied} of ${objects}`} objects applied`;
  const parts = [`${counted}${pruned > 0 ? `, ${pruned} pruned` : ""}${dryRun ? " (dry run)" : ""}`];
  const waited = availableMs === undefined ? undefined : Math.ceil(availableMs / 1_000);
  if (deployment && waited !== undefined) parts.push(`deployment/${deployment.metadata.name} available (${waited} s)`);
  if (deployment && waited === undefined && !dryRun)
    for (const line of await stuckPods(client, deployment))
      report.add({ outcome: "failed", name: "pod", reason: line }, `pod ${line}`, true);
  let isPermitted = true;
  if (!dryRun) {
    const account = { namespace, name: serviceAccount };
    const { needed, refused, unknown } = await preflight(
      client,
      account,
      accessOf(project, program, namespace),
      signal,
    );
    isPermitted = refused.length === 0;
    for (const one of refused) {
      const line = `RBAC preflight: serviceaccount ${serviceAccount} in ${namespace} is not allowed to ${one}`;
      report.add({ outcome: "failed", name: "RBAC preflight", reason: one }, line, true);
    }
    parts.push(`RBAC preflight: ${unknown ? `unknown: ${unknown}` : `${needed - refused.length} of ${needed}`}`);
  }
  report.add({ outcome: "summary", objects, applied, pruned }, `  ${parts.join("   ")}`);
  report.end();
  return hasFailed || !isPermitted ? 1 : 0;
}
