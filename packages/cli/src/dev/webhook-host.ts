import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { createServer as createPlainServer, type Server } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { Client } from "@kubewright/client";
import type { CertificateSource } from "@kubewright/webhook";
import { type LocalConfiguration, LocalSession, localCertificates, probeLocal } from "@kubewright/webhook/local";
import { onOneLine } from "../command/printable.ts";
import type { Io } from "../process/io.ts";

export interface WebhookHostOptions {
  readonly client: Client;
  /** Name of the project. */
  readonly name: string;
  /** Name or address at which the API server reaches this machine. */
  readonly host: string;
  /** Folder for the certificate. */
  readonly folder: string;
  readonly io: Io;
}

/** The address, certificate and session with which the API server calls the program's webhooks during development. */
export class WebhookHost implements AsyncDisposable {
  readonly #options: WebhookHostOptions;
  readonly #certificates: CertificateSource;
  readonly #session: LocalSession;
  readonly #port: number;
  #configurations = "[]";
  #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  private constructor(options: WebhookHostOptions, port: number) {
    const { client, name, host } = options;
    this.#options = options;
    this.#port = port;
    this.#certificates = localCertificates({ hosts: [host] });
    const { url, caBundle } = this;
    this.#session = new LocalSession({ client, owner: ownerOf(name), url, caBundle });
  }

  /** Chooses a free port, and writes the certificate. */
  static async open(options: WebhookHostOptions): Promise<WebhookHost> {
    const host = new WebhookHost(options, await freePort());
    const { current } = host.#certificates;
    mkdirSync(host.#certificateFolder, { recursive: true, mode: 0o700 });
    for (const [file, text] of [
      ["tls.crt", current?.cert],
      ["tls.key", current?.key],
    ] as const)
      writeFileSync(join(host.#certificateFolder, file), text ?? "", { mode: 0o600 });
    return host;
  }

  get url(): string {
    const { host } = this.#options;
    return `https://${host.includes(":") ? `[${host}]` : host}:${this.#port}`;
  }

  /** CA bundle in PEM. */
  get caBundle(): string {
    return this.#certificates.caBundle ?? "";
  }

  /** Flags that make the program serve its webhooks at this address. */
  get flags(): string[] {
    return ["--webhook-port", String(this.#port), "--webhook-cert-path", this.#certificateFolder];
  }

  get #certificateFolder(): string {
    return join(this.#options.folder, "webhooks");
  }

  /** Removes configurations left behind by sessions that crashed. @returns the configurations' names */
  removeStale(): Promise<string[]> {
    return this.#session.removeStale();
  }

  /**
   * Makes the API server call this machine before the program starts.
   *
   * @returns the problem, or undefined if the call arrived
   */
  async probe(): Promise<string | undefined> {
    const { client, name } = this.#options;
    let isCalled = false;
    const server = createServer({ ...this.#certificates.current }, (request, response) => {
      isCalled = true;
      request.resume();
      request.on("end", () => response.writeHead(500).end());
    });
    await listen(server, this.#port);
    try {
      const problem = await probeLocal({
        client,
        owner: ownerOf(name),
        url: new URL("/probe", this.url).href,
        caBundle: this.caBundle,
        wasCalled: () => isCalled,
      });
      return isCalled ? undefined : problem; // the response does not matter
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  /** Installs the configurations in the cluster. Prints a line only if they changed. */
  async show(configurations: readonly LocalConfiguration[]): Promise<void> {
    const text = JSON.stringify(configurations);
    if (text === this.#configurations) return;
    await this.#hide();
    this.#configurations = text;
    const { io } = this.#options;
    const { signal } = this.#stop;
    this.#running = this.#session.run(configurations, signal).catch((error: Error) => {
      io.err(`  the API server does not call the webhooks: ${onOneLine(error.message)}\n`);
    });
    const count = configurations.flatMap(({ webhooks }) => webhooks).length;
    io.out(`  ${count} webhook${count === 1 ? "" : "s"} at ${this.url}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#hide();
  }

  async #hide(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#stop = new AbortController();
  }
}

/** Returns a label value that consists of the project's name and the user's name. */
function ownerOf(name: string): string {
  const text = `${name}-${userInfo().username}`.toLowerCase().replace(/[^a-z0-9.-]/g, "-");
  return text.slice(0, 63).replace(/[^a-z0-9]+$/, "");
}

async function freePort(): Promise<number> {
  const server = createPlainServer();
  await listen(server, 0);
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, resolve);
  });
