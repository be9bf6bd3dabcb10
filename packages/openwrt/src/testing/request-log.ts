/** A request that has been handled or is being handled. */
export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** Status of the response. Undefined until the response is sent. */
  status: number | undefined;
}

/** A condition for requests: an HTTP method, a path suffix, or a function. */
export type CnfRequestMatch =
  | { readonly method?: string | undefined; readonly path?: string | RegExp | undefined }
  | ((request: Pick<LoggedRequest, "method" | "path" | "body">) => boolean);

export function matches(
  match: CnfRequestMatch | undefined,
  request: Pick<LoggedRequest, "method" | "path" | "body">,
): boolean {
  if (match === undefined) return true;
  if (typeof match === "function") return match(request);
  const { method, path } = match;
  if (method !== undefined && method !== request.method) return false;
  if (path === undefined) return true;
  return typeof path === "string" ? request.path.endsWith(path) : path.test(request.path);
}

/** A string in a request that has a special meaning in the place where the reference CNF uses it. */
export interface UnsafeText {
  readonly method: string;
  readonly path: string;
  /** Position of the text in the body, such as `connections.0.mark`; `""` if the text is the path. */
  readonly field: string;
  readonly value: string;
}

/** Matches the paths of modules whose handlers insert strings into shell commands without quoting them. */
const shellModule = /\/sdewan\/(networkfirewall|nat|route|rule|application|service)\/v1\//;
/** Matches a string that a shell treats as exactly one word. Interface aliases are resolved first. */
const shellWord = /^(#default|#source|#[0-9.]+|[A-Za-z0-9_.,:/%@+=!-]*)$/;
/** Matches a string that cannot end a line, a quotation or a word in a configuration file, or in anything that is derived from the file. */
const configurationText = /^[^\p{Cc}'"\\`$;|&<>]*$/u;
const oneLine = /^\P{Cc}*$/u;
const base64 = /^[A-Za-z0-9+/=_^\s]*$/;
const certificateField = /^(local_public_cert|local_private_cert|shared_ca)$/;
const safePath = /^[A-Za-z0-9_.:@/-]*$/;

function* textsOf(value: unknown, place: string): Generator<readonly [field: string, text: string]> {
  if (typeof value === "string") yield [place, value];
  else if (typeof value === "object" && value !== null)
    for (const [key, member] of Object.entries(value)) yield* textsOf(member, place === "" ? key : `${place}.${key}`);
}

function isSafe(path: string, field: string, text: string): boolean {
  if (field === "pre_shared_key") return oneLine.test(text);
  if (certificateField.test(field)) return base64.test(text);
  return (shellModule.test(path) ? shellWord : configurationText).test(text);
}

function unsafeTextsOf({ method, path, body }: LoggedRequest): UnsafeText[] {
  const inPath = safePath.test(path) ? [] : [{ method, path, field: "", value: path }];
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return inPath; // the body is not an object of the API
  }
  const inBody = [...textsOf(value, "")].filter(([field, text]) => !isSafe(path, field, text));
  return [...inPath, ...inBody.map(([field, text]) => ({ method, path, field, value: text }))];
}

/** Log of the most recent ten thousand requests, oldest first. */
export class RequestLog {
  readonly #entries: LoggedRequest[] = [];
  /** Total number of requests. */
  total = 0;

  get entries(): readonly LoggedRequest[] {
    return this.#entries;
  }

  count(match?: CnfRequestMatch): number {
    return this.#entries.filter((entry) => matches(match, entry)).length;
  }

  /**
   * Strings in requests that the reference CNF would execute or treat as additional lines in a file, whether or not the simulator rejected
   * the requests. Empty if the client has not sent such strings.
   */
  get unsafeTexts(): readonly UnsafeText[] {
    return this.#entries.flatMap(unsafeTextsOf);
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
