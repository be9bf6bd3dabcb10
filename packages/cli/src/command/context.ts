import type { Command } from "commander";
import type { Io } from "../process/io.ts";

/** A command's context: its folder, its streams, and the function that runs it. */
export interface CommandContext {
  readonly io: Io;
  /** Working folder of the caller. */
  readonly cwd: string;
  /** Runs a command and exits with the code that it returns. The signal passed to the command aborts on SIGINT and SIGTERM. */
  readonly run: (command: (signal: AbortSignal) => Promise<number>) => Promise<void>;
}

/** Flags that every command has. */
export interface CommonFlags {
  readonly json?: true;
  readonly quiet?: true;
}

/** Flags of commands that connect to a cluster. */
export interface ClusterFlags extends CommonFlags {
  readonly context?: string;
  readonly kubeconfig?: string;
}

export const withCommonFlags = (command: Command): Command =>
  command.option("--json", "print a single JSON document instead of text").option("--quiet", "print only errors");

export const withClusterFlags = (command: Command): Command =>
  withCommonFlags(command)
    .option("--context <name>", "kubeconfig context (default: the current context)")
    .option("--kubeconfig <file>", "kubeconfig file (default: the one kubectl uses)");

/** Adds an example to a command's help. A test runs all examples. */
export const withExample = (command: Command, ...lines: readonly string[]): Command =>
  command.addHelpText("after", `\nExample:\n${lines.map((line) => `  $ ${line}\n`).join("")}`);
