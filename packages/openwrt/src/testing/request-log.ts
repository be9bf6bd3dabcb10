/** A request that was answered, or is being answered. */
export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** Undefined while no answer has been given. */
  status: number | undefined;
}

/** Which requests: by method, by path (a text: the path ends with it), or by a function. */
export type RequestMatch =
  | { readonly method?: string; readonly path?: string | RegExp }
  | ((request: Pick<LoggedRequest, "method" | "path" | "body">) => boolean);

export function matches(
  match: RequestMatch | undefined,
  request: Pick<LoggedRequest, "method" | "path" | "body">,
): boolean {
  if (match === undefined) return true;
  if (typeof match === "function") return match(request);
  const { method, path } = match;
  if (method !== undefined && method !== request.method) return false;
  if (path === undefined) return true;
  return typeof path === "string" ? request.path.endsWith(path) : path.test(request.path);
}

/** The requests so far, oldest first; no more than the newest ten thousand. */
export class RequestLog {
  readonly #entries: LoggedRequest[] = [];
  /** All there ever were. */
  total = 0;

  get entries(): readonly LoggedRequest[] {
    return this.#entries;
  }

  count(match?: RequestMatch): number {
    return this.#entries.filter((entry) => matches(match, entry)).length;
  }

  clear(): void {
    this.#entries.length = 0;
    this.total = 0;
  }

  add(entry: LoggedRequest): void {
    this.total++;
    this.#entries.push(entry);
    if (this.#entries.length > 10_000) this.#entries.splice(0, 1_000);
  }
}
