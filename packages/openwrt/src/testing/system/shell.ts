import type { Kernel } from "./kernel.ts";

/** Exit code and output of a simulated command. */
export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command. A program implements all commands that begin with its name. */
export type Program = (argv: readonly string[], shell: Shell) => CommandResult;

/** Determines which future commands on a simulated CNF fail without having any effect. */
export interface CommandFailure {
  /** Words with which the command starts, or a function that selects commands. */
  readonly match: string | ((argv: readonly string[]) => boolean);
  /** Number of commands that fail. Default 1. */
  readonly count?: number | undefined;
  /** Exit code of the commands. Default 1. */
  readonly exitCode?: number | undefined;
  /** Text that the commands print to standard error. Default `failed`. */
  readonly stderr?: string | undefined;
}

export const done: CommandResult = { exitCode: 0, stdout: "", stderr: "" };

/** Runs and records the CNF's commands. */
export class Shell {
  readonly kernel: Kernel;
  /** All commands that have run, in order. Each is a list of arguments. */
  readonly commands: (readonly string[])[] = [];
  /** Outputs that replace those of the simulated system: a map from the command line to the text. */
  readonly outputs = new Map<string, string>();
  readonly #programs: Map<string, Program>;
  readonly #failures: { match: (argv: readonly string[]) => boolean; left: number; result: CommandResult }[] = [];

  constructor(kernel: Kernel, programs: ReadonlyMap<string, Program>) {
    this.kernel = kernel;
    this.#programs = new Map(programs);
  }

  /** Installs a program as the command with the given name. */
  install(name: string, program: Program): void {
    this.#programs.set(name, program);
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
