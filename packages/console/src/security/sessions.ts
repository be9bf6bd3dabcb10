import { createHash } from "node:crypto";
import { type Clock, systemRandom } from "@kubewright/clock";

/** Name of the header that carries a session. A cookie would be sent to all ports on the machine, including other users' ports. */
export const sessionHeader = "kubewright-session";
const tokenMs = 10 * 60_000;
const sessionMs = 12 * 3_600_000;
/** Maximum number of tokens, and of sessions. A new one then replaces the oldest. */
const most = 16;

/**
 * Admits browsers on loopback: exchanges a one-time token, which the program prints in the terminal, for a session.
 * Stores only digests, so that the duration of a comparison reveals nothing.
 */
export class Sessions {
  readonly #clock: Clock;
  readonly #tokens = new Map<string, number>();
  readonly #carried: string | undefined;
  readonly #sessions = new Map<string, number>();

  /**
   * Creates a console's sessions.
   *
   * @param carried session for all browsers. Default: each browser gets its own session
   * @throws {Error} if the session is too short or contains other characters
   */
  constructor(clock: Clock, carried?: string) {
    this.#clock = clock;
    this.#carried = carried;
    if (carried === undefined) return;
    if (!/^[\w-]{32,200}$/.test(carried))
      throw new Error("session: must be 32 to 200 random letters, digits, dashes and underscores");
    this.#keep(this.#sessions, carried, sessionMs);
  }

  /** Returns a token that can be used once within ten minutes. */
  newToken(): string {
    return this.#keep(this.#tokens, randomText(), tokenMs);
  }

  /** Exchanges a token for a session. Returns undefined if the token is not valid, has already been used, or has expired. */
  exchange(token: string): string | undefined {
    const digest = digestOf(token);
    if (!this.#isGood(this.#tokens, digest)) return undefined;
    this.#tokens.delete(digest);
    return this.#keep(this.#sessions, this.#carried ?? randomText(), sessionMs);
  }

  /** Returns the identity of the session in the {@link sessionHeader} of a request, or undefined if the session is not valid. */
  find(session: string | readonly string[] | undefined): string | undefined {
    if (typeof session !== "string") return undefined;
    const digest = digestOf(session);
    return this.#isGood(this.#sessions, digest) ? digest : undefined;
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

const randomText = (): string => systemRandom.bytes(32).toString("base64url");

const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64");
