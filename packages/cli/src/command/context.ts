import type { Command } from "commander";
import type { Io } from "../process/io.ts";

/** What every command gets: where it runs, where it writes to, and whom it tells how it ended. */
export interface CommandContext {
  readonly io: Io;
  /** The folder it was called in. */
  readonly cwd: string;
  /** Runs what a command does; the code it answers is the program's. The signal aborts at SIGINT and SIGTERM. */
  readonly run: (command: (signal: AbortSignal) => Promise<number>) => Promise<void>;
}

/** Flags that every command has. */
export interface CommonFlags {
  readonly json?: true;
  readonly quiet?: true;
}

/** Flags of commands that talk to a cluster. */
export interface ClusterFlags extends CommonFlags {
  readonly context?: string;
  readonly kubeconfig?: string;
}

export const withCommonFlags = (command: Command): Command =>
  command.option("--json", "print one JSON document instead of lines").option("--quiet", "print nothing but errors");

export const withClusterFlags = (command: Command): Command =>
  withCommonFlags(command)
    .option("--context <name>", "context of the kubeconfig; default: its current one")
    .option("--kubeconfig <file>", "default: as kubectl finds it");

/** Adds an example to a command's help; tests run it. */
export const withExample = (command: Command, ...lines: readonly string[]): Command =>
  command.addHelpText("after", `\nExample:\n${lines.map((line) => `  $ ${line}\n`).join("")}`);
