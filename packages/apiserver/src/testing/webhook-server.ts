import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { WebhookClientConfig } from "@kubewright/apimachinery";
import { CertificateAuthority } from "@kubewright/certificates";

/** A request received by a {@link TestWebhookServer}. */
export interface Call {
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingMessage["headers"];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into reviews of any shape
  readonly review: any;
}

/** A response sent by a {@link TestWebhookServer}. */
export interface Reply {
  /** HTTP status. Default 200. */
  readonly code?: number | undefined;
  /** Content type of the response. Default `application/json`. */
  readonly contentType?: string | undefined;
  /** Body of the response. A string is sent unchanged, and any other value as JSON. */
  readonly body: unknown;
}

/** Returns the response to a call, or `undefined` to close the connection without a response. */
export type Responder = (call: Call) => Reply | undefined | Promise<Reply | undefined>;

/** An HTTPS server on loopback for tests, with a responder for each path. */
export class TestWebhookServer implements AsyncDisposable {
  /** All calls so far, in the order in which they arrived. */
  readonly calls: Call[] = [];
  readonly #server: Server;
  readonly #authority: CertificateAuthority;

  private constructor(
    authority: CertificateAuthority,
    responders: Readonly<Record<string, Responder>>,
    names: string[],
  ) {
    const { certificate, key } = authority.issueServer("webhook", names);
    this.#authority = authority;
    this.#server = createServer({ cert: certificate, key }, async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const [path = "", query = ""] = (request.url ?? "").split("?");
      const text = Buffer.concat(chunks).toString();
      const call = { path, query, headers: request.headers, review: text === "" ? undefined : JSON.parse(text) };
      this.calls.push(call);
      const reply = await responders[path]?.(call);
      if (!reply) return void request.socket.destroy();
      const { code = 200, contentType = "application/json", body } = reply;
      response.writeHead(code, { "content-type": contentType });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    });
  }

  /** Listens on a free port of 127.0.0.1, with a certificate for `names` issued by its own CA. */
  static async start(
    responders: Readonly<Record<string, Responder>>,
    names: string[] = ["127.0.0.1"],
  ): Promise<TestWebhookServer> {
    const server = new TestWebhookServer(new CertificateAuthority("webhook-ca"), responders, names);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Certificate of the server's CA in PEM format, encoded as base64. */
  get caBundle(): string {
    return Buffer.from(this.#authority.certificate).toString("base64");
  }

  /** Returns the client configuration for a webhook at a path of this server. */
  clientConfig(path: string): WebhookClientConfig {
    return { url: `https://127.0.0.1:${this.port}${path}`, caBundle: this.caBundle };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

/** Creates the reply to a call: an AdmissionReview with the given response. */
export const reviewReply = (call: Call, response: Readonly<Record<string, unknown>>): Reply => ({
  body: {
    apiVersion: call.review.apiVersion,
    kind: "AdmissionReview",
    response: { uid: call.review.request.uid, ...response },
  },
});

/** Creates the reply to a call: an AdmissionReview with a JSON patch. */
export const patchReply = (call: Call, operations: unknown): Reply =>
  reviewReply(call, {
    allowed: true,
    patchType: "JSONPatch",
    patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
  });
