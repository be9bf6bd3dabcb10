import { request } from "node:https";
import type { ApiServer } from "../api-server.ts";
import type { ReceivedResponse } from "./api-client.ts";

export interface TlsCallOptions {
  readonly method?: string | undefined;
  /** Client certificate and key, in PEM format. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string | string[]>> | undefined;
  readonly body?: unknown;
}

/** Sends one request over TLS, for this package's tests. Returns the status and the body, which is parsed if it is JSON. */
export function tlsCall(
  server: ApiServer,
  path: string,
  { method = "GET", cert, key, token, headers, body }: TlsCallOptions = {},
): Promise<{ status: number; body: ReceivedResponse["body"]; headers: Readonly<Record<string, unknown>> }> {
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof tlsCall>>>();
  const sent = request(`${server.url}${path}`, {
    method,
    ca: server.caData,
    agent: false,
    headers: {
      "content-type": "application/json",
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...headers,
    },
    ...(cert && key ? { cert, key } : {}),
  });
  sent.on("error", reject);
  sent.on("response", (response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      text += chunk;
    });
    response.on("end", () => {
      const isJson = response.headers["content-type"]?.includes("json");
      resolve({
        status: response.statusCode ?? 0,
        body: isJson ? JSON.parse(text) : text,
        headers: response.headers,
      });
    });
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

/**
 * Queries the server for the caller's identity. Returns the authenticated user, or `undefined` if the server rejects
 * the caller.
 */
export async function whoAmI(server: ApiServer, options: TlsCallOptions): Promise<ReceivedResponse["body"]> {
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const { status, body } = await tlsCall(server, path, { method: "POST", body: {}, ...options });
  return status === 201 ? body.status.userInfo : undefined;
}
