import type { IncomingHttpHeaders } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import type { TestConnection } from "@kubewright/envtest";
import type { RequestStep } from "./sequence.ts";

export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Silence after which a watch is considered complete. */
const silenceMs = 700;

/** Sends single requests exactly as written, with or without the administrator's certificate. */
export class Wire implements Disposable {
  readonly #server: string;
  readonly #handle: TestConnection["handle"];
  readonly #trusted: Agent;
  readonly #anonymous: Agent;

  constructor({ server, handle, caData: ca, certData: cert, keyData: key }: TestConnection) {
    this.#server = server;
    this.#handle = handle;
    this.#trusted = new Agent({ keepAlive: true, ca, ...(cert ? { cert } : {}), ...(key ? { key } : {}) });
    this.#anonymous = new Agent({ keepAlive: true, ca });
  }

  async send(step: RequestStep, path: string, body: string | undefined): Promise<RawResponse> {
    const headers = {
      "user-agent": "parity/1.0",
      ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
      ...(body === undefined || step.contentType === ""
        ? {}
        : { "content-type": step.contentType ?? "application/json" }),
      ...(step.accept === undefined ? {} : { accept: step.accept }),
      ...(step.as === undefined ? {} : { "impersonate-user": step.as }),
      ...step.headers,
    };
    const { method } = step;
    if (this.#handle) {
      const credentials = step.anonymous ? { authorization: "" } : {}; // the connection's user applies only without this header
      const request = { method, path, headers: { ...credentials, ...headers } };
      const response = await this.#handle({ ...request, ...(body === undefined ? {} : { body: Buffer.from(body) }) });
      const joined = Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(", ")]);
      const { status } = response;
      return { status, headers: Object.fromEntries(joined), text: await readBody(response.body, step.lines) };
    }
    const { promise, resolve, reject } = Promise.withResolvers<RawResponse>();
    const { hostname: host, port } = new URL(this.#server);
    const agent = step.anonymous ? this.#anonymous : this.#trusted;
    const request = httpsRequest({ host, port, method, path, agent, headers });
    request.on("error", reject);
    request.on("response", (response) => {
      readBody(response, step.lines).then((text) => {
        response.destroy();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      }, reject);
    });
    request.end(body);
    return promise;
  }

  [Symbol.dispose](): void {
    this.#trusted.destroy();
    this.#anonymous.destroy();
  }
}

/** Reads a whole body or, of a watch, a number of lines or everything until it is silent. */
async function readBody(body: AsyncIterable<Uint8Array>, lines: number | undefined): Promise<string> {
  const iterator = body[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  const text = (): string => Buffer.concat(chunks).toString();
  for (;;) {
    const next = await nextChunk(iterator, lines !== undefined);
    if (next) chunks.push(next);
    if (!next || (lines !== undefined && text().split("\n").length > lines)) break;
  }
  if (lines !== undefined) void iterator.return?.();
  return text();
}

/** Returns the next chunk; `undefined` at the end and, for a watch, after silence or an error. */
async function nextChunk(iterator: AsyncIterator<Uint8Array>, isWatch: boolean): Promise<Uint8Array | undefined> {
  const next = iterator.next().then(({ value, done }) => (done ? undefined : value));
  if (!isWatch) return next;
  const { promise: silence, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), silenceMs);
  return Promise.race([next.catch(() => undefined), silence]).finally(() => clearTimeout(timer));
}
