import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readArguments, usage } from "./arguments.ts";
import { releaseCommand } from "./release-command.ts";

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let options: ReturnType<typeof readArguments>;
  try {
    options = readArguments(args);
    const { output } = options;
    if (output !== undefined && existsSync(output) && readdirSync(output).length > 0)
      throw new Error(`--output ${output}: the folder is not empty`);
  } catch (error) {
    console.error(`${messageOf(error)}\n\n${usage}`);
    return 2;
  }
  if (options.isHelp) {
    console.log(usage);
    return 0;
  }
  process.umask(0o022); // tarballs contain file modes
  const work = mkdtempSync(join(tmpdir(), "kubewright-release-"));
  try {
    console.log(releaseCommand(process.cwd(), { ...options, work, environment: process.env }));
    return 0;
  } catch (error) {
    console.error(messageOf(error));
    return 1;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
