import { isRecord, ownMember } from "@kubewright/apimachinery";
import type { ApiServer } from "@kubewright/kube-apiserver";

export interface ReceivedResponse {
  readonly status: number;
  readonly text: string;
  readonly bytes: Buffer;
  /** The parsed JSON; undefined for other texts and for watches. */
  readonly body: unknown;
}

export type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<ReceivedResponse>;

/** Returns a function that sends requests as a user, such as `anonymous`, or as administrator. */
export function caller(server: ApiServer, user?: string): Call {
  const { server: url, token } = server.connection(user === "anonymous" ? undefined : user);
  const credentials = user === "anonymous" ? {} : { authorization: `Bearer ${token}` };
  return async (method, path, body, headers) => {
    const isRaw = typeof body === "string" || Buffer.isBuffer(body);
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { "content-type": "application/json", ...credentials, ...headers },
      ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const text = bytes.toString();
    const isJson = answer.headers.get("content-type")?.includes("application/json") && !path.includes("watch=1");
    return { status: answer.status, text, bytes, body: isJson && text !== "" ? JSON.parse(text) : undefined };
  };
}

/** Returns the content type header of a patch. */
export const patchType = (type: string): Record<string, string> => ({ "content-type": `application/${type}` });

/** Returns a nested member of an answer. */
export function at(value: unknown, ...names: string[]): unknown {
  return names.reduce<unknown>((inner, name) => (isRecord(inner) ? ownMember(inner, name) : undefined), value);
}
