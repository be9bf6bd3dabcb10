type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS";

export interface RequestOptions {
  /** A string is sent as it is. In any string `{{step.path.to.value}}` stands for what an earlier answer holds. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the body. Default `application/json` where there is one. */
  readonly contentType?: string;
  readonly accept?: string;
  /** Impersonated by the administrator who sends all requests. */
  readonly as?: string;
  /** Without the administrator's certificate. */
  readonly anonymous?: boolean;
  /** A watch: read until that many lines have come, or the stream ends, or nothing more comes. */
  readonly lines?: number;
  /** Only this part of the body is compared, where the whole would be megabytes or machine-dependent. */
  readonly pick?: (body: Json) => unknown;
  /** Asked again until it is so, for up to ten seconds: what a server does in the background. */
  readonly until?: (body: Json) => boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
export type Json = any;

export interface RequestStep extends RequestOptions {
  /** Unique in its sequence. */
  readonly id: string;
  readonly method: Method;
  /** `~/configmaps` is short for `/api/v1/namespaces/<namespace>/configmaps`, `apps~/deployments` for `/apis/apps/v1/namespaces/…`. */
  readonly path: string;
}

export interface KubectlStep {
  readonly id: string;
  /** Arguments as in a shell; single quotes keep spaces. */
  readonly kubectl: string;
  /** Files that the arguments may name, written beforehand. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** For commands that do not end. */
  readonly stopAfterMs?: number;
}

/** Requests that build on each other, in a namespace of their own that is named after the sequence. */
export interface Sequence {
  readonly name: string;
  readonly steps: readonly RequestStep[];
}

export interface KubectlSequence {
  readonly name: string;
  readonly steps: readonly KubectlStep[];
}

export const get = (id: string, path: string, options: RequestOptions = {}): RequestStep => ({
  id,
  method: "GET",
  path,
  ...options,
});

export const post = (id: string, path: string, body: unknown, options: RequestOptions = {}): RequestStep => ({
  id,
  method: "POST",
  path,
  body,
  ...options,
});

export const put = (id: string, path: string, body: unknown, options: RequestOptions = {}): RequestStep => ({
  id,
  method: "PUT",
  path,
  body,
  ...options,
});

export const remove = (id: string, path: string, body?: unknown, options: RequestOptions = {}): RequestStep => ({
  id,
  method: "DELETE",
  path,
  ...(body === undefined ? {} : { body }),
  ...options,
});

const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

export const patch = (
  id: string,
  type: keyof typeof patchTypes,
  path: string,
  body: unknown,
  options: RequestOptions = {},
): RequestStep => ({ id, method: "PATCH", path, body, contentType: patchTypes[type], ...options });

/** Server-side apply by a manager. */
export const apply = (id: string, path: string, manager: string, body: unknown, options: RequestOptions = {}) =>
  patch(id, "apply", `${path}${path.includes("?") ? "&" : "?"}fieldManager=${manager}`, body, options);

/** A watch from a resource version on, until so many lines have come. */
export const watch = (id: string, path: string, lines: number, options: RequestOptions = {}): RequestStep => ({
  id,
  method: "GET",
  path: `${path}${path.includes("?") ? "&" : "?"}watch=true`,
  lines,
  ...options,
});

export const kubectl = (
  id: string,
  command: string,
  options: Omit<KubectlStep, "id" | "kubectl"> = {},
): KubectlStep => ({
  id,
  kubectl: command,
  ...options,
});
