import { arithmetic } from "./arithmetic.ts";
import { testHolds } from "./condition.ts";
import { type Command, type List, parseScript } from "./parser.ts";
import type { ProcessWorld } from "./process-world.ts";
import { type Part, UnsupportedScript, type Word } from "./script.ts";
import { type FileChange, TimedFiles } from "./timed-files.ts";
import { joined, mostOutput, type SimulatedOutput, WrittenOutput } from "./written-output.ts";

/** End of a simulated process. */
export interface SimulatedRun {
  /** Time until the process exits; `Infinity` if it does not exit by itself. */
  readonly runMs: number;
  readonly exitCode: number;
  /** Files that change while the process runs, ordered by time. Default: none. */
  readonly changes?: readonly FileChange[] | undefined;
  /** Output, with the times at which it is written. Default: none. */
  readonly output?: readonly SimulatedOutput[] | undefined;
  /** Reaction to SIGTERM. By default, the process ignores the signal. */
  readonly onTerm?: (() => SimulatedRun | undefined) | undefined;
}

/** Process that never exits by itself. */
export const endless: SimulatedRun = { runMs: Number.POSITIVE_INFINITY, exitCode: 0 };

class Exit {
  readonly code: number;
  constructor(code: number) {
    this.code = code;
  }
}
class Endless {}

/** Maximum running time; anything longer counts as endless. */
const longestMs = 30 * 86_400_000;
const mostSteps = 20_000;
const unitSeconds: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3_600, d: 86_400 };

/** Simulates a process. Everything before its first `sleep` happens immediately. Returns `undefined` for unsupported commands. */
export function simulate(start: (process: Process) => void, world: ProcessWorld): SimulatedRun | undefined {
  const files = new TimedFiles(world.files, () => process.runMs);
  const process: Process = new Process({ ...world, files });
  const run = endOf(process, start);
  if (!run) return undefined;
  const { handler, output } = process;
  return {
    ...run,
    ...(output.length > 0 ? { output } : {}),
    ...(files.changes.length > 0 ? { changes: files.changes } : {}),
    ...(handler === undefined ? {} : { onTerm: () => simulate((next) => next.handle(process, handler), world) }),
  };
}

function endOf(process: Process, start: (process: Process) => void): SimulatedRun | undefined {
  try {
    start(process);
    return { runMs: process.runMs, exitCode: process.status };
  } catch (end) {
    if (end instanceof Exit) return { runMs: process.runMs, exitCode: end.code };
    if (end instanceof Endless) return endless;
    if (end instanceof UnsupportedScript) return undefined;
    throw end;
  }
}

export class Process {
  readonly #world: ProcessWorld;
  readonly #env: Map<string, string>;
  readonly #functions = new Map<string, List>();
  runMs = 0;
  /** Command that handles SIGTERM. */
  handler: string | undefined;
  /** Exit code of the last command. */
  status = 0;
  #steps = 0;
  /** Output of the command before this one in a pipe. */
  #input = "";
  readonly #written: WrittenOutput;

  constructor(world: ProcessWorld) {
    this.#world = world;
    this.#env = new Map(world.env);
    this.#written = new WrittenOutput(world.isVisible ?? false);
  }

  /** Output that goes to the log. */
  get output(): readonly SimulatedOutput[] {
    return this.#written.list;
  }

  script(text: string): void {
    this.#list(parseScript(text));
  }

  /** Handles SIGTERM with another process's trap. */
  handle(learned: Process, handler: string): void {
    for (const [name, body] of learned.#functions) this.#functions.set(name, body);
    for (const [name, value] of learned.#env) this.#env.set(name, value);
    this.script(handler);
  }

  /** @returns its output */
  command(words: readonly string[]): string {
    const [path = "", ...args] = words;
    const name = /^(?:\/(?:usr\/)?s?bin\/)?([^/]+)$/.exec(path)?.[1] ?? "";
    this.status = 0;
    if (++this.#steps > mostSteps) throw new Endless();
    const body = this.#functions.get(name);
    if (body) return this.#list(body);
    const text = this.#builtin(name, args);
    this.#written.add(this.runMs, text);
    return text;
  }

  #builtin(name: string, args: readonly string[]): string {
    switch (name) {
      case "true":
      case ":":
      case "set":
      case "sync":
        return "";
      case "mkdir":
        for (const path of args) if (!path.startsWith("-")) this.#world.files.makeFolder(path);
        return "";
      case "trap":
        if (args.some((each) => each === "TERM" || each === "SIGTERM")) this.handler = args[0];
        return "";
      case "false":
        this.status = 1;
        return "";
      case "exit":
        throw new Exit(Number.parseInt(args[0] ?? String(this.status), 10) & 255);
      case "sleep":
        this.#sleep(args[0]);
        return "";
      case "echo":
        return args[0] === "-n" ? args.slice(1).join(" ") : `${args.join(" ")}\n`;
      case "env":
      case "printenv":
        if (args.length > 0) throw new UnsupportedScript(`${name} ${args.join(" ")}`);
        return [...this.#env].map(([variable, value]) => `${variable}=${value}\n`).join("");
      case "tail":
        if (args.join(" ") === "-f /dev/null") throw new Endless();
        throw new UnsupportedScript(`tail ${args.join(" ")}`);
      case "touch":
        return args.map((file) => (this.#world.files.has(file) ? "" : this.#write(file, "", "touch: "))).join("");
      case "rm":
        for (const file of args) this.#world.files.remove(file);
        return "";
      case "cat":
        return args.length === 0 ? this.#input : args.map((file) => this.#read(file)).join("");
      case "wc": {
        const [flag, file] = args;
        if (flag !== "-l") throw new UnsupportedScript(`wc ${args.join(" ")}`);
        const lines = (file === undefined ? this.#input : this.#read(file)).split("\n").length - 1;
        return `${lines}${file === undefined ? "" : ` ${file}`}\n`;
      }
      case "awk": {
        const column = Number(/^\{\s*print \$(\d+)\s*\}$/.exec(args.join(" "))?.[1] ?? "0");
        if (column === 0) throw new UnsupportedScript(`awk ${args.join(" ")}`);
        const lines = this.#input.split("\n").slice(0, -1);
        return lines.map((line) => `${line.trim().split(/\s+/)[column - 1] ?? ""}\n`).join("");
      }
      case "expr":
        return `${arithmetic(args.join(" "), () => "0")}\n`;
      case "test":
      case "[":
      case "[[":
        this.status = testHolds(name === "test" ? args : args.slice(0, -1), this.#world.files) ? 0 : 1;
        return "";
      default:
        return this.#program(name, args);
    }
  }

  #program(name: string, args: readonly string[]): string {
    const result = this.#world.program?.(name, args);
    if (!result) throw new UnsupportedScript(`"${name}" is not simulated`);
    this.status = result.status;
    return result.text;
  }

  /** @returns an error message, if the file cannot be written */
  #write(file: string, text: string, program: string): string {
    const refusal = this.#world.files.refusal(file);
    if (refusal === undefined) {
      this.#world.files.write(file, text);
      return "";
    }
    this.status = 1;
    return `${program}${file}: ${refusal}\n`;
  }

  #read(file: string): string {
    if (this.#world.files.has(file)) return this.#world.files.read(file);
    this.status = 1;
    return "";
  }

  #sleep(text: string | undefined): void {
    if (text === "infinity" || text === "inf") throw new Endless();
    const match = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(text ?? "");
    if (!match) throw new UnsupportedScript(`sleep ${text}`);
    this.runMs += Number(match[1]) * (unitSeconds[match[2] ?? ""] ?? 1) * 1_000;
    if (this.runMs > longestMs) throw new Endless();
  }

  #list(list: List): string {
    let output = "";
    for (const { when, command, isAside } of list) {
      if ((when === "succeeded" && this.status !== 0) || (when === "failed" && this.status === 0)) continue;
      output = joined(output, isAside ? this.#runAside(command) : this.#run(command));
    }
    return output;
  }

  /** Runs the script as if it took no time. */
  #runAside(command: Command): string {
    const begun = this.runMs;
    let output = "";
    try {
      output = this.#run(command);
    } catch (end) {
      if (!(end instanceof Exit || end instanceof Endless)) throw end;
    }
    this.runMs = begun;
    this.status = 0;
    return output;
  }

  #run(command: Command): string {
    switch (command.type) {
      case "simple":
        return this.#simple(command.words, command.output, command.appends);
      case "pipe":
        return this.#pipe(command.commands);
      case "if": {
        const arm = command.arms.find(({ test }) => this.#holds(test));
        this.status = 0;
        return this.#list(arm?.body ?? command.otherwise ?? []);
      }
      case "function":
        this.#functions.set(command.name, command.body);
        return "";
      case "while": {
        let output = "";
        while (this.#holds(command.test) !== command.until) output = joined(output, this.#list(command.body));
        this.status = 0;
        return output;
      }
    }
  }

  #pipe(commands: readonly Command[]): string {
    const before = this.#input;
    for (const command of commands.slice(0, -1)) this.#input = this.#written.taken(() => this.#run(command));
    const output = commands.slice(-1).map((command) => this.#run(command));
    this.#input = before;
    return output.join("");
  }

  #holds(test: List): boolean {
    this.#list(test);
    return this.status === 0;
  }

  #simple(words: readonly Word[], output: Word | undefined, appends = false): string {
    const expanded = words.flatMap((word) => this.#expand(word) ?? []);
    if (!output) return this.#runWords(expanded);
    const text = this.#written.taken(() => this.#runWords(expanded));
    const file = this.#expand(output);
    if (file === undefined) return text;
    if (file === "/dev/null") return "";
    const before = appends ? this.#world.files.read(file) : "";
    const error = this.#write(file, joined(before, text), "/bin/sh: can't create ");
    this.#written.add(this.runMs, error);
    return "";
  }

  #runWords(words: readonly string[]): string {
    const assigned = /^([A-Za-z_]\w*)=(.*)$/s.exec(words[0] ?? "");
    if (!assigned) return words.length > 0 ? this.command(words) : "";
    if (words.length === 1) return this.#assign(assigned);
    const [, name = "", value = ""] = assigned;
    const before = this.#env.get(name);
    this.#env.set(name, value);
    const output = this.#runWords(words.slice(1));
    if (before === undefined) this.#env.delete(name);
    else this.#env.set(name, before);
    return output;
  }

  #assign([, name = "", value = ""]: RegExpExecArray): string {
    this.#env.set(name, value);
    this.status = 0;
    return "";
  }

  /** Returns `undefined` if an unquoted word expands to nothing. */
  #expand(word: Word): string | undefined {
    const text = word.map((part) => this.#text(part)).join("");
    if (text.length > mostOutput) throw new UnsupportedScript(`a word of ${text.length} characters`);
    return text === "" && !word.some(({ isQuoted }) => isQuoted) ? undefined : text;
  }

  #text(part: Part): string {
    switch (part.type) {
      case "text":
        return part.text;
      case "variable":
        return this.#variable(part.name);
      case "arithmetic":
        return String(arithmetic(part.text, (name) => this.#variable(name)));
      case "command":
        return this.#written.taken(() => this.#list(parseScript(part.script))).replace(/\n+$/, "");
    }
  }

  #variable(name: string): string {
    if (name === "RANDOM") return String(Math.floor(this.#world.random() * 32_768));
    if (name === "?") return String(this.status);
    if (name === "$") return "1";
    return this.#env.get(name) ?? "";
  }
}
