import { arithmetic } from "./arithmetic.ts";
import { testHolds } from "./condition.ts";
import { type Command, type List, parseScript } from "./parser.ts";
import { type Part, UnsupportedScript, type Word } from "./script.ts";

/** When a simulated process ends by itself, and how. */
export interface SimulatedRun {
  readonly runMs: number;
  readonly exitCode: number;
}

/** A process that never ends by itself. */
export const endless = "endless";

/** What a process sees of the world. */
export interface ProcessWorld {
  readonly env: ReadonlyMap<string, string>;
  /** Files by path. */
  readonly files: {
    has(path: string): boolean;
    read(path: string): string;
    write(path: string, text: string): void;
    remove(path: string): void;
  };
  /** In [0, 1). */
  random(): number;
}

class Exit {
  readonly code: number;
  constructor(code: number) {
    this.code = code;
  }
}
class Endless {}

/** What would take longer counts as endless. */
const longestMs = 30 * 86_400_000;
const mostSteps = 20_000;
const unitSeconds: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3_600, d: 86_400 };

/** What a process does: its files change at once, its time passes later. `undefined` for what is not simulated. */
export function simulate(
  start: (process: Process) => void,
  world: ProcessWorld,
): SimulatedRun | typeof endless | undefined {
  const process = new Process(world);
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
  runMs = 0;
  /** Exit code of the last command. */
  status = 0;
  #steps = 0;

  constructor(world: ProcessWorld) {
    this.#world = world;
    this.#env = new Map(world.env);
  }

  script(text: string): void {
    this.#list(parseScript(text));
  }

  /** @returns what it wrote */
  command(words: readonly string[]): string {
    const [path = "", ...args] = words;
    const name = /^(?:\/(?:usr\/)?s?bin\/)?([^/]+)$/.exec(path)?.[1] ?? "";
    this.status = 0;
    if (++this.#steps > mostSteps) throw new Endless();
    switch (name) {
      case "true":
      case ":":
      case "trap":
      case "set":
      case "sync":
      case "mkdir":
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
        return `${args.filter((each, i) => i > 0 || each !== "-n").join(" ")}\n`;
      case "touch":
        for (const file of args) if (!this.#world.files.has(file)) this.#world.files.write(file, "");
        return "";
      case "rm":
        for (const file of args) this.#world.files.remove(file);
        return "";
      case "cat":
        return args.map((file) => this.#read(file)).join("");
      case "expr":
        return `${arithmetic(args.join(" "), () => "0")}\n`;
      case "test":
      case "[":
      case "[[":
        this.status = testHolds(name === "test" ? args : args.slice(0, -1), (file) => this.#world.files.has(file))
          ? 0
          : 1;
        return "";
      default:
        throw new UnsupportedScript(`"${name}" is not simulated`);
    }
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
    for (const { when, command } of list) {
      if ((when === "succeeded" && this.status !== 0) || (when === "failed" && this.status === 0)) continue;
      output += this.#run(command);
    }
    return output;
  }

  #run(command: Command): string {
    switch (command.type) {
      case "simple":
        return this.#simple(command.words, command.output);
      case "if": {
        const arm = command.arms.find(({ test }) => this.#holds(test));
        this.status = 0;
        return this.#list(arm?.body ?? command.otherwise ?? []);
      }
      case "while": {
        let output = "";
        while (this.#holds(command.test) !== command.until) output += this.#list(command.body);
        this.status = 0;
        return output;
      }
    }
  }

  #holds(test: List): boolean {
    this.#list(test);
    return this.status === 0;
  }

  #simple(words: readonly Word[], output: Word | undefined): string {
    const expanded = words.flatMap((word) => this.#expand(word) ?? []);
    const assigned = /^([A-Za-z_]\w*)=(.*)$/s.exec(expanded[0] ?? "");
    const text =
      assigned && expanded.length === 1 ? this.#assign(assigned) : expanded.length > 0 ? this.command(expanded) : "";
    const file = output && this.#expand(output);
    if (file === undefined) return text;
    if (file !== "/dev/null") this.#world.files.write(file, text);
    return "";
  }

  #assign([, name = "", value = ""]: RegExpExecArray): string {
    this.#env.set(name, value);
    this.status = 0;
    return "";
  }

  /** `undefined` where nothing is left of an unquoted word. */
  #expand(word: Word): string | undefined {
    const joined = word.map((part) => this.#text(part)).join("");
    return joined === "" && !word.some(({ isQuoted }) => isQuoted) ? undefined : joined;
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
        return this.#list(parseScript(part.script)).replace(/\n+$/, "");
    }
  }

  #variable(name: string): string {
    if (name === "RANDOM") return String(Math.floor(this.#world.random() * 32_768));
    if (name === "?") return String(this.status);
    if (name === "$") return "1";
    return this.#env.get(name) ?? "";
  }
}
