import type { Kernel } from "./kernel.ts";

/** Exit code and output of a simulated command. */
export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs commands of one name. */
export type Program = (argv: readonly string[], shell: Shell) => CommandResult;

/** Selects future commands of a simulated CNF that fail without effect. */
export interface CommandFailure {
  /** Words that the command starts with, or a predicate. */
  readonly match: string | ((argv: readonly string[]) => boolean);
  /** Number of times. Default 1. */
  readonly count?: number | undefined;
  /** Default 1. */
  readonly exitCode?: number | undefined;
  /** Output on standard error. Default `failed`. */
  readonly stderr?: string | undefined;
}

export const done: CommandResult = { exitCode: 0, stdout: "", stderr: "" };

/** Runs the commands of the CNF, and records them. */
export class Shell {
  readonly kernel: Kernel;
  /** Every command run, in order, as argument vectors. */
  readonly commands: (readonly string[])[] = [];
  /** Outputs that replace those of the simulated system: a map from the command line to the text. */
  readonly outputs = new Map<string, string>();
  readonly #programs: ReadonlyMap<string, Program>;
  readonly #failures: { match: (argv: readonly string[]) => boolean; left: number; result: CommandResult }[] = [];

  constructor(kernel: Kernel, programs: ReadonlyMap<string, Program>) {
    this.kernel = kernel;
    this.#programs = programs;
  }

  run(argv: readonly string[]): CommandResult {
    this.commands.push(argv);
    const failure = this.#failures.find(({ left, match }) => left > 0 && match(argv));
    if (failure) {
      failure.left--;
      return failure.result;
    }
    const line = argv.join(" ");
    const stdout = this.outputs.get(line);
    if (stdout !== undefined) return { ...done, stdout };
    return this.#programs.get(argv[0] ?? "")?.(argv, this) ?? done;
  }

  /** Returns the output of a command. */
  read(...argv: readonly string[]): string {
    return this.run(argv).stdout;
  }

  fail({ match, count = 1, exitCode = 1, stderr = "failed" }: CommandFailure): void {
    this.#failures.push({
      match: typeof match === "string" ? (argv) => `${argv.join(" ")} `.startsWith(`${match} `) : match,
      left: count,
      result: { exitCode, stdout: "", stderr },
    });
  }
}
