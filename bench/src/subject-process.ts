import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Heap, SubjectCommand, SubjectSpec, Usage } from "./subjects/spec.ts";

const program = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const node = [process.execPath, "--conditions=@kubewright/source", "--expose-gc"] as const;

/** A process of the bench that answers commands with lines. */
export class SubjectProcess {
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  private constructor(command: readonly string[]) {
    const [file = "", ...rest] = command;
    // Measure the same configuration that users run.
    const env = { ...process.env, NODE_ENV: "production" };
    this.#child = spawn(file, rest, { stdio: ["pipe", "pipe", "inherit"], env });
    if (!this.#child.stdout) throw new Error("the subject has no output");
    this.#answers = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }

  /** @param goBinary the program with the subjects written in Go */
  static start(spec: SubjectSpec, goBinary?: string): SubjectProcess {
    const isGo = spec.subject.startsWith("client-go") || spec.subject === "controller-runtime";
    if (isGo && goBinary === undefined) throw new Error(`${spec.subject} needs Go`);
    const command = isGo && goBinary ? [goBinary] : [...node, program("./subjects/main.ts")];
    return new SubjectProcess([...command, JSON.stringify(spec)]);
  }

  /** Starts the feed server; its first line is its address. */
  static async startFeed(): Promise<{ readonly url: string; stop(): Promise<void> }> {
    const feed = new SubjectProcess([...node, program("./feed/main.ts")]);
    return { url: await feed.#line(), stop: () => feed.stop() };
  }

  async measure(command: SubjectCommand): Promise<Usage> {
    return (await this.#ask(command)) as Usage;
  }

  async heap(): Promise<Heap> {
    return (await this.#ask({ do: "heap" })) as Heap;
  }

  /** Returns the address of the process's console, which works for one browser only. */
  async consoleUrl(): Promise<string> {
    const { url } = (await this.#ask({ do: "console" })) as { readonly url: string };
    return url;
  }

  async send(command: SubjectCommand): Promise<void> {
    await this.#ask(command);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill();
    await ended;
  }

  async #ask(command: SubjectCommand): Promise<unknown> {
    this.#child.stdin?.write(`${JSON.stringify(command)}\n`);
    return JSON.parse(await this.#line());
  }

  async #line(): Promise<string> {
    const { value, done } = await this.#answers.next();
    if (done) throw new Error(`a subject ended before it answered: ${this.#child.spawnargs.join(" ")}`);
    return value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
