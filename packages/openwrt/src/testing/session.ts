import { randomBytes } from "node:crypto";
import type { Clock } from "@kubewright/clock";
import { loginPage } from "./replies.ts";
import { type CnfRequest, header } from "./request.ts";
import type { CnfResponse } from "./response.ts";

const cookieName = "sysauth";
const base = "/cgi-bin/luci/";

export interface SessionOptions {
  readonly username: string;
  readonly password: string;
  /** Idle time after which a session expires, in milliseconds. */
  readonly idleMs: number;
  /** True to restrict cookies to TLS. */
  readonly secure: boolean;
  readonly clock: Clock;
}

/** Logins and their tokens. */
export class Sessions {
  readonly #options: SessionOptions;
  /** Time of the last use of each token. */
  readonly #lastUse = new Map<string, number>();
  /** Number of successful logins. */
  logins = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Handles a login form with credentials. */
  logIn(request: CnfRequest): CnfResponse {
    const isForm = header(request, "content-type").startsWith("application/x-www-form-urlencoded");
    const form = new URLSearchParams(isForm ? request.body?.toString("utf8") : "");
    const { username, password, secure } = this.#options;
    if (form.get("luci_username") !== username || form.get("luci_password") !== password) return loginPage;
    const token = randomBytes(16).toString("hex");
    this.#lastUse.set(token, this.#options.clock.monotonic());
    this.logins++;
    const cookie = `${cookieName}=${token}; path=${base}; SameSite=Strict; HttpOnly${secure ? "; secure" : ""}`;
    return { status: 302, headers: { "Set-Cookie": cookie, Location: base }, body: "" };
  }

  logOut(request: CnfRequest): CnfResponse {
    if (!this.isValid(request)) return loginPage;
    this.#lastUse.delete(tokenOf(request));
    const cookie = `${cookieName}=; expires=Thu, 01 Jan 1970 01:00:00 GMT; path=${base}`;
    return { status: 302, headers: { "Set-Cookie": cookie, Location: base }, body: "" };
  }

  /** Reports whether the request has the token of a valid session, and extends the session. */
  isValid(request: CnfRequest): boolean {
    const token = tokenOf(request);
    const lastUse = this.#lastUse.get(token);
    if (lastUse === undefined) return false;
    const now = this.#options.clock.monotonic();
    const isAlive = now - lastUse < this.#options.idleMs;
    if (isAlive) this.#lastUse.set(token, now);
    else this.#lastUse.delete(token);
    return isAlive;
  }

  /** Ends every session. */
  clear(): void {
    this.#lastUse.clear();
  }
}

function tokenOf(request: CnfRequest): string {
  const cookies = header(request, "cookie")
    .split(";")
    .map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1) ?? "";
}
