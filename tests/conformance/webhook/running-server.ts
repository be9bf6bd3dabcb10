import type { IncomingHttpHeaders } from "node:http";
import { request as httpsRequest } from "node:https";
import { CertificateAuthority } from "@kubewright/certificates";
import { silentLogger } from "@kubewright/log";
import { type Webhook, WebhookServer, type WebhookServerOptions } from "@kubewright/webhook";

export const authority = new CertificateAuthority("webhook-ca");
const { certificate: cert, key } = authority.issueServer("webhook", ["127.0.0.1", "localhost"]);
export const pair = { cert, key, ca: authority.certificate };

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into reviews of any shape
  readonly review: any;
}

export interface Sending {
  /** Text, or a value to send as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A webhook server on loopback that runs until it is disposed. */
export class RunningServer implements AsyncDisposable {
  readonly server: WebhookServer;
  readonly #stop = new AbortController();
  readonly #run: Promise<void>;

  private constructor(server: WebhookServer) {
    this.server = server;
    this.#run = server.run(this.#stop.signal);
    this.#run.catch(() => {}); // reported when it is disposed
  }

  static async start(webhooks: readonly Webhook[], options: WebhookServerOptions = {}): Promise<RunningServer> {
    const server = new WebhookServer({
      port: 0,
      host: "127.0.0.1",
      certificates: pair,
      logger: silentLogger,
      ...options,
    });
    server.add(...webhooks);
    const running = new RunningServer(server);
    await server.ready();
    return running;
  }

  get url(): string {
    return `https://127.0.0.1:${this.server.port}`;
  }

  post(path: string, { body, headers = {} }: Sending = {}): Promise<ReceivedResponse> {
    const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const options = {
        ...{ method: "POST", host: "127.0.0.1", port: this.server.port, path, ca: authority.certificate },
        headers: { "content-type": "application/json", "content-length": Buffer.byteLength(text), ...headers },
      };
      const request = httpsRequest(options, async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        const answer = Buffer.concat(chunks).toString();
        const isJson = response.headers["content-type"] === "application/json";
        const { statusCode = 0 } = response;
        resolve({
          status: statusCode,
          headers: response.headers,
          text: answer,
          review: isJson ? JSON.parse(answer) : undefined,
        });
      });
      request.once("error", reject);
      request.end(text);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#run;
  }
}

/** Returns an AdmissionReview about a Site, as an API server sends it. */
export const reviewOf = (request: Readonly<Record<string, unknown>>) => ({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid: "705ab4f5",
    kind: { group: "shop.example.com", version: "v1", kind: "Site" },
    resource: { group: "shop.example.com", version: "v1", resource: "sites" },
    name: "north",
    namespace: "shop",
    operation: "CREATE",
    userInfo: { username: "ann", groups: ["dev"] },
    ...request,
  },
});

/** The steps in the answer's patch. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into reviews of any shape
export const patchIn = (answer: ReceivedResponse): any[] =>
  JSON.parse(Buffer.from(answer.review.response.patch ?? "W10=", "base64").toString());
