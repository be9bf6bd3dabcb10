import { existsSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "@kubewright/apimachinery";
import type { ProgramDescription } from "@kubewright/rbac";
import { CommandError, UsageError } from "../command/errors.ts";
import { type QueryOptions, queryProgram } from "./query-program.ts";

/** A program's description, including the manifests for its webhooks. */
export interface DescribedProgram extends ProgramDescription {
  readonly webhookConfigurations: readonly object[];
}

/**
 * Describes the program at `entry`, which exports `setup(manager)` and optionally `options`. Runs it in a child process without a cluster.
 *
 * @throws {UsageError} if the entry does not exist
 * @throws {CommandError} if the program throws or does not finish; the message contains the first stack frame in the
 * project's code
 */
export async function describeProgram(root: string, entry: string, options: QueryOptions): Promise<DescribedProgram> {
  if (!existsSync(join(root, entry))) throw new UsageError(`--entry ${JSON.stringify(entry)} does not exist`);
  const { description } = await queryProgram(
    root,
    { question: "description", paths: [entry], asked: entry, waiting: "setup(manager) and what it imports" },
    options,
  );
  if (!isDescription(description)) throw new CommandError("the program cannot be described");
  return description;
}

const isDescription = (value: unknown): value is DescribedProgram =>
  isRecord(value) && typeof value.name === "string" && Array.isArray(value.kinds) && Array.isArray(value.controllers);
