import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import { type CommandContext, type CommonFlags, withCommonFlags, withExample } from "../command/context.ts";
import { Report } from "../command/report.ts";
import { findProject } from "../project/project.ts";
import { bundleProgram, noSourceMap } from "./bundle-program.ts";
import { gzipped, sizeText } from "./gzip.ts";

interface BuildFlags extends CommonFlags {
  readonly entry: string;
  readonly out: string;
  readonly inCluster?: true;
  readonly sourceMap: boolean;
}

export function addBuild(program: Command, context: CommandContext): void {
  const command = program
    .command("build")
    .description("bundle the program into a single file that needs only Node.js")
    .option("--entry <file>", "module to run", "src/main.ts")
    .option("--out <file>", "file to write", "dist/operator.mjs")
    .option(
      "--in-cluster",
      "omit @kubernetes/client-node, even if kubewright/exec is imported; only for programs that never run outside a cluster",
    )
    .option(...noSourceMap)
    .action((flags: BuildFlags) => context.run(() => run(context, flags)));
  withExample(withCommonFlags(command), "npx kubewright build --in-cluster");
}

async function run({ io, cwd }: CommandContext, flags: BuildFlags): Promise<number> {
  const { root } = findProject(cwd);
  const { code, parts } = await bundleProgram({ root, ...flags });
  const path = resolve(root, flags.out);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, code);
  chmodSync(path, 0o755);
  const report = new Report<{ path: string; bytes: number; gzippedBytes: number }>(io, flags);
  const gzippedBytes = gzipped(code).length;
  report.add(
    { path: flags.out, bytes: code.length, gzippedBytes },
    `  ${flags.out}  ${sizeText(code.length)}, ${sizeText(gzippedBytes)} gzipped`,
  );
  report.end({ parts });
  return 0;
}
