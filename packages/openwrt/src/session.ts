import { OpenWrtError, UnexpectedResponseError } from "./errors.ts";
import type { CnfTransport } from "./transport.ts";

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** A login to a CNF, shared by all requests. Concurrent requests share a single login attempt. */
export class Session {
  readonly #transport: CnfTransport;
  readonly #credentials: Credentials;
  readonly #timeoutMs: number;
  #token: string | undefined;
  #login: Promise<string> | undefined;

  constructor(transport: CnfTransport, credentials: Credentials, timeoutMs: number) {
    this.#transport = transport;
    this.#credentials = credentials;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Returns the token, after logging in if necessary.
   *
   * @throws {OpenWrtError} with the login's status, if the login was rejected @throws the signal's reason if the signal aborts; the login
   * continues for other callers
   */
  async token(signal?: AbortSignal): Promise<string> {
    if (this.#token !== undefined) return this.#token;
    this.#login ??= this.#logIn().finally(() => {
      this.#login = undefined;
    });
    return signal ? raceWith(signal, this.#login) : this.#login;
  }

  /** The current token, or undefined if the client is not logged in. */
  get current(): string | undefined {
    return this.#token;
  }

  /** Drops a token, unless it has been replaced in the meantime. */
  forget(token: string): void {
    if (this.#token === token) this.#token = undefined;
  }

  async #logIn(): Promise<string> {
    const { username, password } = this.#credentials;
    const { status, cookies } = await this.#transport.send({
      method: "POST",
      path: "",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ luci_username: username, luci_password: password }).toString(),
      timeoutMs: this.#timeoutMs,
    });
    if (status !== 302) throw new OpenWrtError(status, "Unauthorized");
    const token = cookies
      .map((cookie) => /^sysauth=([\x21-\x3a\x3c-\x7e]{1,4096})\s*(?:;|$)/.exec(cookie)?.[1])
      .find((value) => value !== undefined);
    if (token === undefined) throw new UnexpectedResponseError(status, "the login response contains no session cookie");
    this.#token = token;
    return token;
  }

  /** Logs out of the CNF if the client is logged in. */
  async logOut(): Promise<void> {
    const token = this.#token;
    if (token === undefined) return;
    this.forget(token);
    const headers = { cookie: `sysauth=${token}` };
    await this.#transport.send({ method: "GET", path: "admin/logout", headers, timeoutMs: this.#timeoutMs });
  }
}

function raceWith<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
