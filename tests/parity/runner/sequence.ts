type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS";

export interface RequestOptions {
  /** A string is sent unchanged. In any string, `{{step.path.to.value}}` is replaced by a value of an earlier answer. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Content type of the body. Default `application/json` if there is one. */
  readonly contentType?: string;
  readonly accept?: string;
  /** User to impersonate. The administrator sends all requests. */
  readonly as?: string;
  /** True to send it without the administrator's certificate. */
  readonly anonymous?: boolean;
  /** For a watch: number of lines to read, unless the stream ends or nothing more arrives. */
  readonly lines?: number;
  /** Selects the part of the body to compare, if the whole would have megabytes or depend on the machine. */
  readonly pick?: (body: Json) => unknown;
  /** Repeats the request until this is true, for up to ten seconds, for background work of a server. */
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
  /** Arguments as in a shell; single quotes preserve spaces. */
  readonly kubectl: string;
  /** Files for the arguments, written beforehand. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** For commands that do not end. */
  readonly stopAfterMs?: number;
}

/** Requests that build on each other, in a separate namespace named after the sequence. */
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

/** Returns a server-side apply by a manager. */
export const apply = (id: string, path: string, manager: string, body: unknown, options: RequestOptions = {}) =>
  patch(id, "apply", `${path}${path.includes("?") ? "&" : "?"}fieldManager=${manager}`, body, options);

/** Returns a watch from a resource version on, until that many lines have arrived. */
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
