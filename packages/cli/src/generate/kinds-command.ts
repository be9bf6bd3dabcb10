import { isAbsolute, join, relative, resolve } from "node:path";
import { isRecord } from "@kubewright/apimachinery";
import { CustomResourceDefinition } from "@kubewright/client/kinds";
import type { Command } from "commander";
import { withClient } from "../cluster/connect.ts";
import { type ClusterFlags, type CommandContext, withClusterFlags, withExample } from "../command/context.ts";
import { CommandError, UsageError } from "../command/errors.ts";
import { Report } from "../command/report.ts";
import { writeChanged } from "../project/files.ts";
import { definitionsIn, type FoundDefinition } from "./definitions-in.ts";
import { externalFiles } from "./external-files.ts";

interface KindsFlags extends ClusterFlags {
  readonly filename?: string;
  readonly crd?: string;
  readonly group?: string;
  readonly style: string;
  readonly schema?: true;
  readonly as?: string;
  readonly out: string;
}

export function addGenerateKinds(generate: Command, context: CommandContext): void {
  const command = generate
    .command("kinds")
    .description("write TypeScript types for kinds from a file or cluster")
    .option("-f, --filename <place>", "CRDs to read: a file, a URL, or - for standard input")
    .option("--crd <name>", "name of a CRD in the cluster, such as certificates.cert-manager.io")
    .option("--group <group/version>", "group and version to read from the cluster, such as apps/v1")
    .option("--style <style>", "style of the types: interface or typebox", "interface")
    .option("--schema", "also include the CRD, so that the kind has the members crd and parse")
    .option("--as <Name>", "TypeScript name (default: the kind, followed by its group if that name is taken)")
    .option("--out <folder>", "output folder; one file is written per kind", "src/external")
    .action((flags: KindsFlags) => context.run((signal) => run(context, flags, signal)));
  withExample(withClusterFlags(command), "npx kubewright generate kinds -f certificates.yaml");
}

async function run(context: CommandContext, flags: KindsFlags, signal: AbortSignal): Promise<number> {
  const { filename, crd, group, style, schema, out } = flags;
  const given = [filename, crd, group].filter((one) => one !== undefined);
  if (given.length !== 1) throw new UsageError("generate kinds: pass exactly one of -f, --crd and --group");
  if (style !== "interface" && style !== "typebox")
    throw new UsageError(`--style ${JSON.stringify(style)}: must be interface or typebox`);
  const folder = resolve(context.cwd, out);
  const found =
    filename === undefined ? await inCluster(context, flags, signal) : await definitionsIn(context, filename, signal);
  const files = externalFiles(folder, found, { style, schema, as: flags.as });
  const report = new Report<{ path: string }>(context.io, flags);
  for (const path of writeChanged(folder, files)) {
    const shown = isAbsolute(out) ? join(folder, path) : relative(context.cwd, join(folder, path));
    report.add({ path: shown }, `  ${shown}`);
  }
  report.end();
  return 0;
}

/** Fetches the CRD or the OpenAPI document that the flags name. */
const inCluster = (
  context: CommandContext,
  flags: KindsFlags,
  signal: AbortSignal,
): Promise<readonly FoundDefinition[]> =>
  withClient(context, flags, async (client) => {
    const { crd, group = "" } = flags;
    if (crd === undefined) return [{ source: group, value: await openApi(client.connection, group, signal) }];
    return [{ source: crd, value: await client.get(CustomResourceDefinition, crd, { signal }) }];
  });

/** Fetches the OpenAPI v3 document of a group and version. */
async function openApi(
  connection: { request(request: { path: string; signal: AbortSignal }): Promise<{ status: number; body: Buffer }> },
  group: string,
  signal: AbortSignal,
): Promise<object> {
  if (!/^(?:[a-z0-9.-]+\/)?v\d\w*$/.test(group))
    throw new UsageError(
      `--group ${JSON.stringify(group)} is not a group and version, such as "apps/v1" (or "v1" for the core group)`,
    );
  const path = group.includes("/") ? `/openapi/v3/apis/${group}` : `/openapi/v3/api/${group}`;
  const { status, body } = await connection.request({ path, signal });
  if (status !== 200)
    throw new CommandError(
      `--group ${JSON.stringify(group)}: the server responded with ${status}; check that it serves this group`,
    );
  const document: unknown = JSON.parse(body.toString("utf8"));
  if (!isRecord(document))
    throw new CommandError(`--group ${JSON.stringify(group)}: the server returned no OpenAPI document`);
  return document;
}
