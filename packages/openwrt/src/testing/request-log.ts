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

/** A text of a request that is more than text to what the reference's CNF does with it. */
interface UnsafeText {
  readonly method: string;
  readonly path: string;
  /** Its place in the body, such as `connections.0.mark`; `""` for the path itself. */
  readonly field: string;
  readonly value: string;
}

/** Modules whose handlers put texts into commands that a shell runs, without quotes. */
const shellModule = /\/sdewan\/(networkfirewall|nat|route|rule|application|service)\/v1\//;
/** One word to a shell, and nothing but that word. Aliases of interfaces are resolved before. */
const shellWord = /^(#default|#source|#[0-9.]+|[A-Za-z0-9_.,:/%@+=!-]*)$/;
/** Ends no line, no quotes and no word of a configuration file, nor anything that is made of that. */
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
    return inPath; // no object of the API
  }
  const inBody = [...textsOf(value, "")].filter(([field, text]) => !isSafe(path, field, text));
  return [...inPath, ...inBody.map(([field, text]) => ({ method, path, field, value: text }))];
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

  /**
   * What of the requests the reference's CNF would run, or take for further lines of a file: texts as its shell and its configuration files
   * get them, whatever the simulator answered. A test of a client that keeps such texts from a CNF expects none.
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
