import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { digestOf } from "../image/oci/descriptor.ts";
import type { TestBase } from "./base-layout.ts";

export interface FakeRegistryOptions {
  /** Credentials that are required. Default: none. */
  readonly auth?: "basic" | "bearer" | undefined;
  /** Called with each request. Returns true if it has handled the request in place of the registry. */
  readonly intercept?: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
}

/** A registry on loopback that stores and verifies uploads. */
export class FakeRegistry implements AsyncDisposable {
  readonly blobs = new Map<string, Buffer>();
  /** Manifests, keyed by repository and by tag or digest. */
  readonly manifests = new Map<string, { readonly type: string; readonly bytes: Buffer }>();
  /** Requests in order, such as `PUT /v2/shop/blobs/uploads/1`. */
  readonly requests: string[] = [];
  /** Scopes of requested tokens. */
  readonly scopes: string[][] = [];
  readonly #server: Server;
  readonly #options: FakeRegistryOptions;

  private constructor(options: FakeRegistryOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(options: FakeRegistryOptions = {}): Promise<FakeRegistry> {
    const registry = new FakeRegistry(options);
    const { promise, resolve } = Promise.withResolvers<void>();
    registry.#server.listen(0, "127.0.0.1", resolve);
    await promise;
    return registry;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  add(repository: string, { blobs, root }: TestBase): void {
    for (const [digest, bytes] of blobs) {
      this.blobs.set(digest, bytes);
      const type = bytes.includes('"schemaVersion"') ? String(JSON.parse(bytes.toString()).mediaType) : "";
      if (type) this.manifests.set(`${repository}@${digest}`, { type, bytes });
    }
    const index = this.manifests.get(`${repository}@${root.digest}`);
    if (index) this.manifests.set(`${repository}@nonroot`, index);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", `http://${this.host}`);
    this.requests.push(`${request.method} ${url.pathname}${url.searchParams.has("mount") ? "?mount" : ""}`);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    if (this.#options.intercept?.(request, response)) return;
    if (url.pathname === "/token") return this.#token(request, url, response);
    if (!this.#isKnown(request)) {
      const challenge =
        this.#options.auth === "basic"
          ? 'Basic realm="fake"'
          : `Bearer realm="http://${this.host}/token",service="fake",scope="repository:x:pull"`;
      response.writeHead(401, { "www-authenticate": challenge }).end();
      return;
    }
    const [, repository = "", kind = "", reference = ""] =
      /^\/v2\/(.+?)\/(blobs\/uploads|blobs|manifests)\/(.*)$/.exec(url.pathname) ?? [];
    if (kind === "blobs/uploads") this.#upload(request, url, repository, body, response);
    else if (kind === "blobs") send(response, this.blobs.get(reference), "application/octet-stream", request.method);
    else if (request.method === "PUT") {
      const manifest = { type: request.headers["content-type"] ?? "", bytes: body };
      this.manifests.set(`${repository}@${reference}`, manifest);
      this.manifests.set(`${repository}@${digestOf(body)}`, manifest);
      response.writeHead(201).end();
    } else {
      const found = this.manifests.get(`${repository}@${reference}`);
      send(response, found?.bytes, found?.type ?? "", request.method);
    }
  }

  #upload(request: IncomingMessage, url: URL, repository: string, body: Buffer, response: ServerResponse): void {
    const [digest, mount] = [url.searchParams.get("digest") ?? "", url.searchParams.get("mount")];
    if (mount !== null && this.blobs.has(mount)) response.writeHead(201).end();
    else if (request.method === "POST")
      response.writeHead(202, { location: `/v2/${repository}/blobs/uploads/1?state=x` }).end();
    else if (digestOf(body) !== digest || url.searchParams.get("state") !== "x")
      response.writeHead(400).end('{"errors":[{"code":"DIGEST_INVALID","message":"not what was announced"}]}');
    else {
      this.blobs.set(digest, body);
      response.writeHead(201).end();
    }
  }

  #token(request: IncomingMessage, url: URL, response: ServerResponse): void {
    this.scopes.push(url.searchParams.getAll("scope"));
    const isRight = request.headers.authorization === basic && url.searchParams.get("service") === "fake";
    response.writeHead(isRight ? 200 : 401).end('{"token":"t0ken","expires_in":60}');
  }

  #isKnown({ headers: { authorization } }: IncomingMessage): boolean {
    const { auth } = this.#options;
    return auth === undefined || authorization === (auth === "basic" ? basic : "Bearer t0ken");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }
}

/** Credentials that the registry accepts: user `jane`, password `s3cret:word`. */
export const fakeAuth = Buffer.from("jane:s3cret:word").toString("base64");
const basic = `Basic ${fakeAuth}`;

function send(response: ServerResponse, bytes: Buffer | undefined, type: string, method: string | undefined): void {
  if (!bytes) response.writeHead(404).end('{"errors":[{"code":"UNKNOWN","message":"there is none"}]}');
  else
    response
      .writeHead(200, { "content-type": type, "content-length": bytes.length })
      .end(method === "HEAD" ? undefined : bytes);
}
