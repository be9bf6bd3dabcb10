import { existsSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "@kubewright/apimachinery";
import type { ProgramDescription } from "@kubewright/codegen";
import { NotSoError, UsageError } from "../command/errors.ts";
import { type AskOptions, askProgram } from "./ask-program.ts";

/** A program, and the manifests of its webhooks. */
export interface DescribedProgram extends ProgramDescription {
  readonly webhookConfigurations: readonly object[];
}

/**
 * Asks the program at `entry`, which exports `setup(manager)` and perhaps `options`, what it is. It runs in a process of its own, without
 * a cluster.
 *
 * @throws {NotSoError} with the first place in the project's code, if it throws or does not end
 */
export async function describeProgram(root: string, entry: string, options: AskOptions): Promise<DescribedProgram> {
  if (!existsSync(join(root, entry))) throw new UsageError(`--entry ${JSON.stringify(entry)}: there is no such file`);
  const { description } = await askProgram(
    root,
    { question: "description", paths: [entry], asked: entry, waiting: "setup(manager) and what it imports" },
    options,
  );
  if (!isDescription(description)) throw new NotSoError("the program cannot be described");
  return description;
}

const isDescription = (value: unknown): value is DescribedProgram =>
  isRecord(value) && typeof value.name === "string" && Array.isArray(value.kinds) && Array.isArray(value.controllers);
