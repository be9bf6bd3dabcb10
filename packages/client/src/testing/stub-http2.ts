import { once } from "node:events";
import { createSecureServer, type Http2SecureServer, type ServerHttp2Stream } from "node:http2";

/** Certificate used only in these tests. Clients do not verify it. */
export const stubCertificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgJA9pIkyzS/dpoVOt
+C0OiAKFieVQ+5D9OoGis/6whguhRANCAAR/aNwO1bY47UX3bF7lGtfAhYADzLEg
2uith0DE9dOYH1P7fxItOCs8CY+Kx4QZfpkYN5sbOtjTCJsChNL6EvAs
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUHu74BCTTRQ0HItEjgQZcP2WXtpUwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTE0MzcyNFoYDzIxMjYxMDI4
MTQzNzI0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAR/aNwO1bY47UX3bF7lGtfAhYADzLEg2uith0DE9dOYH1P7fxItOCs8
CY+Kx4QZfpkYN5sbOtjTCJsChNL6EvAso28wbTAdBgNVHQ4EFgQUOwHS6GqOzigS
P9dxoDFA8xx81PEwHwYDVR0jBBgwFoAUOwHS6GqOzigSP9dxoDFA8xx81PEwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhAN7A8R6hcchI5EJ5qls1CNK8A2jFc7u90wnm1aAgGjpSAiAH
BkxManNOspaxMHV/MIOJkwZjx2/0RAgvQ6PHimE/SQ==
-----END CERTIFICATE-----`,
};

/** An HTTP/2 server over TLS that passes each request to a test. */
export class StubHttp2 {
  readonly #server: Http2SecureServer;
  /** Streams that are open on the server. */
  readonly streams = new Set<ServerHttp2Stream>();
  /** Number of requests received. */
  requests = 0;

  private constructor(answer: (stream: ServerHttp2Stream, path: string) => void) {
    this.#server = createSecureServer({ ...stubCertificate, settings: { maxConcurrentStreams: 250 } });
    this.#server.on("stream", (stream, headers) => {
      this.requests += 1;
      this.streams.add(stream);
      stream.on("error", () => {}).on("close", () => this.streams.delete(stream));
      answer(stream, headers[":path"] ?? "");
    });
  }

  static async start(answer: (stream: ServerHttp2Stream, path: string) => void): Promise<StubHttp2> {
    const stub = new StubHttp2(answer);
    stub.#server.listen(0, "127.0.0.1");
    await once(stub.#server, "listening");
    return stub;
  }

  get url(): string {
    const address = this.#server.address();
    if (typeof address !== "object" || address === null) throw new Error("the stub is not listening");
    return `https://127.0.0.1:${address.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stream of this.streams) stream.session?.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }
}
