import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "@kubewright/clock";

const cookieName = "kubewright-console";
const tokenMs = 10 * 60_000;
const sessionMs = 12 * 3_600_000;
/** So many tokens and sessions there are at a time; the oldest give way. */
const most = 16;

/**
 * Who may look on loopback: whoever was handed a one-time token, by the terminal that the program runs in, and exchanged it for a
 * cookie. Only digests are kept, so that comparing them tells nothing.
 */
export class Sessions {
  readonly #clock: Clock;
  readonly #tokens = new Map<string, number>();
  readonly #carried: string | undefined;
  readonly #sessions = new Map<string, number>();

  /**
   * @param carried the session that all are given; default: to each one of its own
   * @throws {Error} if that is short, or is nothing that a cookie holds
   */
  constructor(clock: Clock, carried?: string) {
    this.#clock = clock;
    this.#carried = carried;
    if (carried === undefined) return;
    if (!/^[\w-]{32,200}$/.test(carried))
      throw new Error("session: want 32 to 200 letters, digits, dashes and underscores that nobody guesses");
    this.#keep(this.#sessions, carried, sessionMs);
  }

  /** A token that is good for ten minutes, once. */
  newToken(): string {
    return this.#keep(this.#tokens, randomText(), tokenMs);
  }

  /** The `Set-Cookie` of a new session; `undefined` for a token that is none, or was used, or is too old. */
  exchange(token: string): string | undefined {
    const digest = digestOf(token);
    if (!this.#isGood(this.#tokens, digest)) return undefined;
    this.#tokens.delete(digest);
    const session = this.#keep(this.#sessions, this.#carried ?? randomText(), sessionMs);
    return `${cookieName}=${session}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${sessionMs / 1_000}`;
  }

  /** Whether a request's `Cookie` header has a session in it. */
  has(cookies: string | undefined): boolean {
    for (const cookie of (cookies ?? "").split(";")) {
      const [name, value = ""] = cookie.trim().split("=", 2);
      if (name === cookieName && this.#isGood(this.#sessions, digestOf(value))) return true;
    }
    return false;
  }

  #keep(kept: Map<string, number>, text: string, ms: number): string {
    kept.set(digestOf(text), this.#clock.monotonic() + ms);
    for (const oldest of kept.keys()) {
      if (kept.size <= most) break;
      kept.delete(oldest);
    }
    return text;
  }

  #isGood(kept: Map<string, number>, digest: string): boolean {
    const until = kept.get(digest);
    return until !== undefined && until > this.#clock.monotonic();
  }
}

const randomText = (): string => randomBytes(32).toString("base64url");

const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64");
