import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { untilAborted } from "@kubewright/clock";
import type { Command } from "commander";
import { type CommandContext, withExample } from "../command/context.ts";
import { CommandError, UsageError } from "../command/errors.ts";
import { serveSite } from "./site-server.ts";

interface DocsFlags {
  readonly port: string;
}

export function addDocs(program: Command, context: CommandContext): void {
  const command = program
    .command("docs")
    .description("serve the documentation locally; requires @kubewright/docs")
    .option("--port <port>", "port on 127.0.0.1; 0 picks a free one", "8091")
    .action((flags: DocsFlags) => context.run((signal) => run(context, flags, signal)));
  withExample(command, "npx kubewright docs");
}

async function run({ cwd, io }: CommandContext, { port }: DocsFlags, signal: AbortSignal): Promise<number> {
  await using server = await listen(siteFolder(cwd), portOf(port));
  io.out(`documentation at ${server.url}\n`);
  await untilAborted(signal);
  return 0;
}

/**
 * Returns the folder with the built site, from the project's `@kubewright/docs` or else from the copy next to this
 * package.
 *
 * @throws {CommandError} if the package is not installed or the site is not built
 */
export function siteFolder(cwd: string): string {
  for (const place of [join(cwd, "package.json"), import.meta.url]) {
    const manifest = manifestFrom(place);
    if (manifest === undefined) continue;
    const folder = join(dirname(manifest), "site");
    if (existsSync(join(folder, "index.html"))) return folder;
    throw new CommandError(`${folder}: the documentation is not built; run npm run docs`);
  }
  throw new CommandError("the package @kubewright/docs is not installed; run npm install --save-dev @kubewright/docs");
}

function manifestFrom(place: string): string | undefined {
  try {
    return createRequire(place).resolve("@kubewright/docs/package.json");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

function portOf(text: string): number {
  if (!/^[0-9]{1,5}$/.test(text) || Number(text) > 65_535)
    throw new UsageError(`--port ${JSON.stringify(text)} is not a number from 0 to 65535`);
  return Number(text);
}

async function listen(folder: string, port: number) {
  try {
    return await serveSite(folder, port);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new CommandError(`127.0.0.1:${port} cannot be used (${code}); choose another --port`, { cause: error });
  }
}
