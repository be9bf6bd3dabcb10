import { posix } from "node:path";
import { clientsetText } from "@kubewright/codegen";
import type { Command } from "commander";
import { type CommandContext, type CommonFlags, withCommonFlags, withExample } from "../command/context.ts";
import { CommandError } from "../command/errors.ts";
import { Report } from "../command/report.ts";
import { writeChanged } from "../project/files.ts";
import { findProject } from "../project/project.ts";
import { apiKinds } from "./api-kinds.ts";

interface ClientsetFlags extends CommonFlags {
  readonly out: string;
}

export function addGenerateClientset(generate: Command, context: CommandContext): void {
  const command = generate
    .command("clientset")
    .description("write a clientset, listers and informers for the project's kinds")
    .option("--out <file>", "file to write", "src/clientset.ts")
    .action((flags: ClientsetFlags) => context.run((signal) => run(context, flags, signal)));
  withExample(withCommonFlags(command), "npx kubewright generate clientset");
}

async function run({ io, cwd }: CommandContext, flags: ClientsetFlags, signal: AbortSignal): Promise<number> {
  const { root } = findProject(cwd);
  const present = await apiKinds(root, { signal, err: io.err });
  const kinds = present.map(({ path, group, version, plural, exportName }) => {
    const from = posix.relative(posix.dirname(flags.out), path);
    return { group, version, plural, name: exportName, module: from.startsWith(".") ? from : `./${from}` };
  });
  if (kinds.length === 0)
    throw new CommandError("generate clientset: src/api exports no kinds; run kubewright create api to add one");
  const report = new Report<{ path: string }>(io, flags);
  for (const path of writeChanged(root, [{ path: flags.out, text: clientsetText(kinds) }]))
    report.add({ path }, `  ${path}`);
  report.end();
  return 0;
}
