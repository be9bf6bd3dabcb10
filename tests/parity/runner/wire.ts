import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
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
  readonly #trusted: Agent;
  readonly #anonymous: Agent;

  constructor({ server, caData: ca, certData: cert, keyData: key }: TestConnection) {
    this.#server = server;
    this.#trusted = new Agent({ keepAlive: true, ca, ...(cert ? { cert } : {}), ...(key ? { key } : {}) });
    this.#anonymous = new Agent({ keepAlive: true, ca });
  }

  send(step: RequestStep, path: string, body: string | undefined): Promise<RawResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<RawResponse>();
    const url = new URL(this.#server);
    const request = httpsRequest({
      host: url.hostname,
      port: url.port,
      method: step.method,
      path,
      agent: step.anonymous ? this.#anonymous : this.#trusted,
      headers: {
        "user-agent": "parity/1.0",
        ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
        ...(body === undefined || step.contentType === ""
          ? {}
          : { "content-type": step.contentType ?? "application/json" }),
        ...(step.accept === undefined ? {} : { accept: step.accept }),
        ...(step.as === undefined ? {} : { "impersonate-user": step.as }),
        ...step.headers,
      },
    });
    request.on("error", reject);
    request.on("response", (response) => {
      readBody(response, step.lines).then(
        (text) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        reject,
      );
    });
    request.end(body);
    return promise;
  }

  [Symbol.dispose](): void {
    this.#trusted.destroy();
    this.#anonymous.destroy();
  }
}

function readBody(response: IncomingMessage, lines: number | undefined): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = "";
  const finish = (): void => {
    clearTimeout(silence);
    resolve(text);
    response.destroy();
  };
  const wait = () => (lines === undefined ? undefined : setTimeout(finish, silenceMs));
  let silence = wait();
  response.setEncoding("utf8");
  response.on("data", (chunk: string) => {
    text += chunk;
    clearTimeout(silence);
    if (lines !== undefined && text.split("\n").length > lines) finish();
    else silence = wait();
  });
  response.on("end", finish);
  response.on("error", (error) => (lines === undefined ? reject(error) : finish()));
  return promise;
}
