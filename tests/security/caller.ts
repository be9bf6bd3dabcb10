import { isRecord, ownMember } from "@kubewright/apimachinery";
import type { ApiServer } from "@kubewright/kube-apiserver";

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly bytes: Buffer;
  /** What JSON says; nothing of other texts, and of watches. */
  readonly body: unknown;
}

export type Call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

/** Sends requests as a user, `anonymous` among them, or as admin. */
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

/** The content type of a patch. */
export const patchType = (type: string): Record<string, string> => ({ "content-type": `application/${type}` });

/** A member of a member of an answer. */
export function at(value: unknown, ...names: string[]): unknown {
  return names.reduce<unknown>((inner, name) => (isRecord(inner) ? ownMember(inner, name) : undefined), value);
}
