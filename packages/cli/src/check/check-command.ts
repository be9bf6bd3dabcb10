import { resolve } from "node:path";
import { isNotFound } from "@kubewright/apimachinery";
import { parseManifests, readManifests } from "@kubewright/client/apply";
import { CustomResourceDefinition } from "@kubewright/client/kinds";
import { breakingChanges } from "@kubewright/codegen";
import type { Command } from "commander";
import { withClient } from "../cluster/connect.ts";
import { type ClusterFlags, type CommandContext, withClusterFlags, withExample } from "../command/context.ts";
import { NotSoError } from "../command/errors.ts";
import { Report } from "../command/report.ts";
import { generate } from "../generate/generate.ts";
import { excessText } from "../generate/observed-in.ts";
import { findProject } from "../project/project.ts";

interface CheckFlags extends ClusterFlags {
  readonly against: string;
}

interface Item {
  readonly definition: string;
  readonly path: string;
  readonly message: string;
}

export function addCheck(program: Command, context: CommandContext): void {
  const command = program
    .command("check")
    .description("whether the program's definitions break objects or clients of those that are there; writes nothing")
    .option("--against <what>", "file or folder with definitions, or cluster", "config/crd")
    .action((flags: CheckFlags) => context.run((signal) => run(context, flags, signal)));
  withExample(withClusterFlags(command), "npx kubewright check --against config/crd");
}

async function run(context: CommandContext, flags: CheckFlags, signal: AbortSignal): Promise<number> {
  const { io, cwd } = context;
  const project = findProject(cwd);
  const { files, excess } = await generate(project, { signal, err: io.err });
  const next = new Map(
    files
      .filter(({ path }) => path.startsWith("config/crd/"))
      .flatMap(({ path, text }) => parseManifests(text, path).manifests)
      .filter(({ object }) => object.kind === "CustomResourceDefinition")
      .map(({ object }) => [object.metadata.name, object] as const),
  );
  const previous = await (flags.against === "cluster"
    ? fromCluster(context, flags, [...next.keys()], signal)
    : fromFiles(resolve(flags.against === "config/crd" ? project.root : cwd, flags.against), signal));
  const report = new Report<Item>(io, flags);
  for (const one of excess) io.err(`${excessText(one)}\n`);
  let code = 0;
  for (const [name, before] of previous) {
    const now = next.get(name);
    const findings = now
      ? breakingChanges(before, now)
      : [{ path: "", message: "is not among the program's definitions any more: its objects stay behind" }];
    for (const { path, message } of findings) {
      code = 1;
      report.add({ definition: name, path, message }, `${name}: ${path ? `${path}: ` : ""}${message}`, true);
    }
  }
  report.end();
  return code;
}

async function fromFiles(place: string, signal: AbortSignal): Promise<Map<string, object>> {
  const { manifests, unreadable } = await readManifests({ files: [place] }, { signal });
  // What kustomize reads has no name, and is no object.
  const [bad] = unreadable.filter(({ source }) => !/kustomization\.ya?ml$/.test(source));
  if (bad) throw new NotSoError(`${bad.source}: ${bad.error.message}`, { cause: bad.error });
  const crds = manifests.filter(({ object }) => object.kind === "CustomResourceDefinition");
  if (crds.length === 0) throw new NotSoError(`${place}: there is no CustomResourceDefinition in it`);
  return new Map(crds.map(({ object }) => [object.metadata.name, object]));
}

/** Those that the cluster has; one that it does not have yet breaks nobody. */
function fromCluster(
  context: CommandContext,
  flags: CheckFlags,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, object>> {
  return withClient(context, flags, async (client) => {
    const found = new Map<string, object>();
    for (const name of names)
      try {
        found.set(name, await client.get(CustomResourceDefinition, name, { signal }));
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    return found;
  });
}
