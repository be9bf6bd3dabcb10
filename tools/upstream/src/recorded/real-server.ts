import { Agent, request } from "node:https";
import type { TestConnection } from "@kubewright/envtest";

interface ReceivedResponse {
  readonly status: number;
  readonly body: Buffer;
}

export interface Call {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly body?: unknown;
  readonly accept?: string;
}

/** A real kube-apiserver whose answers are recorded. */
export interface RealServer extends AsyncDisposable {
  call(path: string, call?: Call): Promise<ReceivedResponse>;
  /** Sends a GET and returns the parsed answer. @throws {Error} if it fails */
  get<T>(path: string, accept?: string): Promise<T>;
  /** Returns the first data that a watch sends. */
  firstOf(path: string, accept: string): Promise<Buffer>;
}

export async function startRealServer(assets: string): Promise<RealServer> {
  const { Environment } = await import("@kubewright/envtest"); // imported late because its modules may just be regenerated
  const environment = await Environment.start({ assets });
  const connection = environment.connection();
  const agent = agentFor(connection);
  const send = (path: string, { method = "GET", body, accept = "application/json" }: Call = {}, whole = true) =>
    new Promise<ReceivedResponse>((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers = { accept, "content-type": "application/json", "user-agent": "upstream/1.0" };
      const sent = request(new URL(path, connection.server), { method, agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        const end = () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) });
        response.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          if (!whole) response.destroy();
        });
        response.on("close", end);
      });
      sent.on("error", reject);
      sent.end(text);
    });
  return {
    call: send,
    async get<T>(path: string, accept?: string): Promise<T> {
      const { status, body } = await send(path, accept ? { accept } : {});
      if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${body}`);
      return JSON.parse(body.toString());
    },
    firstOf: async (path, accept) => (await send(path, { accept }, false)).body,
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await environment.stop();
    },
  };
}

const agentFor = ({ caData: ca, certData: cert, keyData: key }: TestConnection): Agent =>
  new Agent({ keepAlive: true, ca, ...(cert ? { cert } : {}), ...(key ? { key } : {}) });
