import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type ClientHttp2Session, connect, type SecureClientSessionOptions } from "node:http2";
import { Agent, request } from "node:https";
import { createInterface, type Interface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isRecord } from "@kubewright/apimachinery";

export interface ReceivedResponse {
  readonly status: number;
  readonly text: string;
  /** The parsed body; `undefined` if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly body: any;
}

/** The result of an attack. */
export interface Attack extends ReceivedResponse {
  /** Longest time that another client waited for an answer meanwhile, without the time in which other programs kept the processors busy. */
  readonly worstWaitMs: number;
}

const patienceMs = 50_000; // an attack may compute for ten seconds, and the processors may be busy
const program = fileURLToPath(new URL("plane-process.ts", import.meta.url));

/** A control plane in a separate process, so that an attack that stops it does not stop the test. */
export class AttackedPlane {
  readonly #process: ChildProcess;
  readonly #lines: Interface;
  readonly #server: string;
  readonly #credentials: Pick<SecureClientSessionOptions, "ca" | "cert" | "key">;
  readonly #agent: Agent;
  /** The connection of the other client. */
  readonly #other: Agent;

  private constructor(process: ChildProcess, lines: Interface, connection: Readonly<Record<string, string>>) {
    this.#process = process;
    this.#lines = lines;
    this.#server = connection.server ?? "";
    this.#credentials = { ca: connection.caData, cert: connection.certData, key: connection.keyData };
    this.#agent = new Agent({ ...this.#credentials, keepAlive: true });
    this.#other = new Agent({ ...this.#credentials, keepAlive: true });
  }

  static async start(): Promise<AttackedPlane> {
    const child = spawn(process.execPath, ["--conditions=@kubewright/source", program], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines = createInterface(child.stdout);
    const [line] = await once(lines, "line");
    const connection: unknown = JSON.parse(String(line));
    if (!isRecord(connection)) throw new Error(`the control plane printed no connection: ${line}`);
    return new AttackedPlane(child, lines, connection as Record<string, string>);
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    this.#other.destroy();
    if (this.#process.exitCode !== null) return;
    this.#process.kill("SIGKILL");
    await once(this.#process, "exit");
  }

  get isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** Opens an HTTP/2 connection. */
  connect(options: SecureClientSessionOptions): ClientHttp2Session {
    const session = connect(this.#server, { ...this.#credentials, ...options });
    return session.on("error", () => {}); // the plane may end it
  }

  /** Returns the peak memory, in MiB. */
  async peakMebibytes(): Promise<number> {
    this.#process.stdin?.write("\n");
    const [line] = await once(this.#lines, "line");
    return Number(line) / 1024 / 1024;
  }

  call(method: string, path: string, body?: unknown, contentType = "application/json"): Promise<ReceivedResponse> {
    return this.#send(this.#agent, method, path, body, contentType);
  }

  /** Waits until a path exists. */
  async untilThere(path: string): Promise<void> {
    const deadline = performance.now() + patienceMs;
    while ((await this.call("GET", path)).status !== 200) {
      if (performance.now() > deadline) throw new Error(`nothing at ${path} within ${patienceMs} ms`);
      await sleep(50);
    }
  }

  /** Sends an attack while another client sends requests repeatedly. */
  async attack(method: string, path: string, body?: unknown, contentType = "application/json"): Promise<Attack> {
    const { result, worstWaitMs } = await this.during(() => this.call(method, path, body, contentType));
    return { ...result, worstWaitMs };
  }

  /** Runs a function while another client sends requests repeatedly, and returns the longest wait of that client. */
  async during<T>(act: () => Promise<T>): Promise<{ readonly result: T; readonly worstWaitMs: number }> {
    let worstWaitMs = 0;
    let isOver = false;
    const asking = (async () => {
      while (!isOver) {
        const start = performance.now() - this.#queuedMs();
        await this.#send(this.#other, "GET", "/api/v1/namespaces/default").catch(() => undefined);
        worstWaitMs = Math.max(worstWaitMs, performance.now() - this.#queuedMs() - start);
        await sleep(20);
      }
    })();
    let result: T;
    try {
      result = await act();
      await sleep(100); // work that it left behind may also block the server
    } finally {
      isOver = true;
      await asking;
    }
    return { result, worstWaitMs };
  }

  /** Returns how long the main threads of the plane and of this process could run, but waited for a processor. 0 where the system has no such count. */
  #queuedMs(): number {
    if (!this.isRunning) return 0;
    const nanoseconds = [`${this.#process.pid}`, "self"].map((pid) => {
      try {
        return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[1]);
      } catch {
        return 0;
      }
    });
    return nanoseconds.reduce((sum, each) => sum + each) / 1e6;
  }

  #send(agent: Agent, method: string, path: string, body?: unknown, contentType?: string): Promise<ReceivedResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<ReceivedResponse>();
    const content = body === undefined || typeof body === "string" ? (body ?? "") : JSON.stringify(body);
    const headers = {
      "content-length": Buffer.byteLength(content),
      ...(content === "" ? {} : { "content-type": contentType }),
    };
    const sent = request(this.#server, { method, path, agent, headers });
    const timer = setTimeout(
      () => sent.destroy(new Error(`no answer to ${method} ${path.slice(0, 200)} within ${patienceMs} ms`)),
      patienceMs,
    );
    sent.on("error", reject).on("close", () => clearTimeout(timer));
    sent.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = response.headers["content-type"]?.includes("json") && text !== "";
        resolve({ status: response.statusCode ?? 0, text, body: isJson ? JSON.parse(text) : undefined });
      });
    });
    sent.end(content);
    return promise;
  }
}
