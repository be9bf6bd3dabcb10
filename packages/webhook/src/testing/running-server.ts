import { Agent, request as httpsRequest } from "node:https";
import { CertificateAuthority } from "@kubewright/certificates";
import { silentLogger } from "@kubewright/log";
import { WebhookServer } from "../server/webhook-server.ts";
import type { WebhookServerOptions } from "../server/webhook-server-options.ts";
import type { Webhook } from "../webhook.ts";

export const authority = new CertificateAuthority("webhook-ca");
const { certificate: cert, key } = authority.issueServer("webhook", ["127.0.0.1", "localhost"]);
export const pair = { cert, key, ca: authority.certificate };

export interface ReceivedResponse {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into reviews of any shape
  readonly review: any;
}

/** A webhook server on loopback that runs until it is disposed. */
export class RunningServer implements AsyncDisposable {
  readonly server: WebhookServer;
  readonly #agent = new Agent({ keepAlive: true, ca: authority.certificate });
  readonly #stop = new AbortController();
  readonly #run: Promise<void>;

  private constructor(server: WebhookServer) {
    this.server = server;
    this.#run = server.run(this.#stop.signal);
  }

  static async start(webhooks: readonly Webhook[], options: WebhookServerOptions = {}): Promise<RunningServer> {
    const usual = { port: 0, host: "127.0.0.1", certificates: pair, logger: silentLogger };
    const server = new WebhookServer({ ...usual, ...options });
    server.add(...webhooks);
    const running = new RunningServer(server);
    await server.ready();
    return running;
  }

  /** Sends text and bytes unchanged, and other values as JSON. */
  post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<ReceivedResponse> {
    const sent = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const address = { method: "POST", host: "127.0.0.1", port: this.server.port, path, agent: this.#agent };
      const length = { "content-length": Buffer.byteLength(sent) };
      const request = httpsRequest(
        { ...address, headers: { "content-type": "application/json", ...length, ...headers } },
        async (response) => {
          const chunks: Buffer[] = [];
          for await (const chunk of response) chunks.push(chunk as Buffer);
          const text = Buffer.concat(chunks).toString();
          const isJson = response.headers["content-type"] === "application/json";
          resolve({ status: response.statusCode ?? 0, text, review: isJson ? JSON.parse(text) : undefined });
        },
      );
      request.once("error", reject);
      request.end(sent);
    });
  }

  /** Resolves when the server has stopped. */
  stop(): Promise<void> {
    this.#stop.abort();
    return this.#run;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    this.#agent.destroy();
  }
}

/** Returns an AdmissionReview as an API server sends it. */
export const reviewOf = (request: Readonly<Record<string, unknown>>) => ({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: { uid: "705ab4f5", operation: "CREATE", userInfo: { username: "ann" }, ...request },
});

export const siteObject = (spec: unknown) => ({
  apiVersion: "shop.example.com/v1",
  kind: "Site",
  metadata: { name: "north", namespace: "shop" },
  spec,
});
