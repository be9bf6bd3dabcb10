import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "@kubewright/clock";

/** Name of the header that carries a session: a cookie would be sent to every port of the machine, also to those of other users. */
export const sessionHeader = "kubewright-session";
const tokenMs = 10 * 60_000;
const sessionMs = 12 * 3_600_000;
/** So many tokens and sessions there are at a time; the oldest give way. */
const most = 16;

/**
 * Lets in browsers on loopback: one that brings a one-time token, which the terminal of the program showed, gets a session for it. Only digests
 * are kept, so that comparing them reveals nothing.
 */
export class Sessions {
  readonly #clock: Clock;
  readonly #tokens = new Map<string, number>();
  readonly #carried: string | undefined;
  readonly #sessions = new Map<string, number>();

  /**
   * @param carried the session that all are given; default: to each one of its own
   * @throws {Error} if that is short, or has other characters
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

  /** A new session; `undefined` for a token that is not valid, was used, or is too old. */
  exchange(token: string): string | undefined {
    const digest = digestOf(token);
    if (!this.#isGood(this.#tokens, digest)) return undefined;
    this.#tokens.delete(digest);
    return this.#keep(this.#sessions, this.#carried ?? randomText(), sessionMs);
  }

  /** Returns what identifies the session in a request's {@link sessionHeader}; `undefined` if there is no valid one. */
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

const randomText = (): string => randomBytes(32).toString("base64url");

const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64");
