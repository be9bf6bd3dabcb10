import type { IncomingMessage } from "node:http";
import { quote } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import { errorText } from "@kubewright/log";
import type { HttpHandler } from "./http-server.ts";

/**
 * A check that is called for each request. It fails if it throws or does not return within 5 seconds. If the check succeeds, it may return
 * a note as text.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: most checks return nothing
export type HealthCheck = (request: IncomingMessage) => void | string | Promise<void | string>;

/** Options for how a health check appears in the list of all checks. */
export interface HealthCheckOptions {
  /** True to include the check's error and, with `?verbose`, its note in the list of all checks. Default false. */
  readonly showsReason?: boolean | undefined;
}

/** Time limit for a check. If the check exceeds it, the response names the check. */
const timeoutMs = 5_000;

/** A check that always succeeds. It shows that the program responds to requests. */
export const ping: HealthCheck = () => {};

/**
 * Named checks that are served together and individually. The combined endpoint returns `ok`, or status 500 with the list of checks.
 * `?verbose` always returns the list, and `?exclude=name` omits a check. Errors are shown only if a check is requested by name or was added
 * with `showsReason`.
 *
 * @see controller-runtime pkg/healthz Handler
 */
export class HealthChecks {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #checks = new Map<string, HealthCheck>();
  readonly #explained = new Set<string>();

  /** @param path path of the combined endpoint, such as `/healthz` */
  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
  }

  /** Adds a check. @throws {Error} if a check with this name exists */
  add(name: string, check: HealthCheck, { showsReason = false }: HealthCheckOptions = {}): void {
    if (this.#checks.has(name)) throw new Error(`a check named "${name}" already exists at ${this.#path}`);
    this.#checks.set(name, check);
    if (showsReason) this.#explained.add(name);
  }

  serves(pathname: string): boolean {
    return pathname === this.#path || pathname.startsWith(`${this.#path}/`);
  }

  readonly handler: HttpHandler = async (request, response, url) => {
    const { status, body } = await this.#answer(request, url);
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" });
    response.end(body);
  };

  #answer(request: IncomingMessage, url: URL): CheckResponse | Promise<CheckResponse> {
    let name: string;
    try {
      name = decodeURIComponent(url.pathname.slice(this.#path.length).replace(/^\/|\/$/g, ""));
    } catch {
      return { status: 400, body: "400 Bad Request\n" };
    }
    return name === "" ? this.#together(request, url) : this.#one(request, name);
  }

  async #together(request: IncomingMessage, url: URL): Promise<CheckResponse> {
    const excluded = new Set(url.searchParams.getAll("exclude"));
    const isVerbose = url.searchParams.has("verbose");
    const checks = [...(this.#checks.size > 0 ? this.#checks : new Map([["ping", ping]]))].sort(([a], [b]) =>
      a < b ? -1 : 1,
    );
    const lines = await Promise.all(
      checks.map(async ([name, check]) => {
        if (excluded.delete(name)) return `[+]${name} excluded: ok`;
        const { failure, note } = await this.#outcome(check, request);
        const isExplained = this.#explained.has(name);
        if (failure === undefined) return note && isExplained ? `[+]${name} ok: ${note}` : `[+]${name} ok`;
        return `[-]${name} failed: ${isExplained ? failure : "reason withheld"}`;
      }),
    );
    if (excluded.size > 0)
      lines.push(`warn: some health checks cannot be excluded: no matches for ${[...excluded].map(quote).join(",")}`);
    const hasFailed = lines.some((line) => line.startsWith("[-]"));
    const what = this.#path.slice(1);
    if (hasFailed) return { status: 500, body: `${lines.join("\n")}\n${what} check failed\n` };
    return { status: 200, body: isVerbose ? `${lines.join("\n")}\n${what} check passed\n` : "ok" };
  }

  async #one(request: IncomingMessage, name: string): Promise<CheckResponse> {
    const check = this.#checks.get(name) ?? (this.#checks.size === 0 && name === "ping" ? ping : undefined);
    if (!check) return { status: 404, body: "404 page not found\n" };
    const { failure } = await this.#outcome(check, request);
    return failure === undefined
      ? { status: 200, body: "ok" }
      : { status: 500, body: `internal server error: ${failure}\n` };
  }

  async #outcome(
    check: HealthCheck,
    request: IncomingMessage,
  ): Promise<{ readonly failure?: string; readonly note?: string | undefined }> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = this.#clock.after(timeoutMs, () => reject(new Error(`no result within ${timeoutMs} ms`)));
    try {
      const note = await Promise.race([check(request), late]);
      return { note: typeof note === "string" ? note.replaceAll(/\s+/g, " ") : undefined };
    } catch (error) {
      return { failure: errorText(error) };
    } finally {
      timer.cancel();
    }
  }
}

interface CheckResponse {
  readonly status: number;
  readonly body: string;
}
