import type { IncomingMessage } from "node:http";
import type { Writer } from "@kubewright/client";
import { SubjectAccessReview, TokenReview } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";

/** Whether a request may be answered, and if not, how it is refused. */
export type Admission =
  | { readonly status: 200; readonly user: ReviewedUser }
  | { readonly status: 401 | 403 | 429; readonly message: string };

type Access = Pick<SubjectAccessReview["spec"], "nonResourceAttributes" | "resourceAttributes">;

const usualKeepMs = { authenticated: 60_000, allowed: 300_000, denied: 30_000 };
const maxKept = 1_000;
/** Anybody can send tokens: so many are reviewed at a time, and others are refused. */
const maxReviewed = 64;

/** How long answers of the API server are kept, in milliseconds. */
type KeepMs = typeof usualKeepMs;

interface Kept<T> {
  readonly value: T;
  readonly until: number;
}

/** Who a token belongs to, in the API server's words. */
export type ReviewedUser = NonNullable<NonNullable<TokenReview["status"]>["user"]>;
type User = ReviewedUser;

/** One object that somebody wants to see, or do something with. */
export interface ObjectAccess {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  /** The plural: `pods`. */
  readonly resource: string;
  /** Absent: it is in none. */
  readonly namespace?: string | undefined;
  readonly name: string;
}

/**
 * Asks the API server who a bearer token belongs to (TokenReview) and whether that user may read the path (SubjectAccessReview).
 * Answers are kept for a while.
 *
 * @see controller-runtime pkg/metrics/filters WithAuthenticationAndAuthorization
 */
export class RequestAuthenticator {
  readonly #client: Pick<Writer, "create">;
  readonly #clock: Clock;
  readonly #keepMs: KeepMs;
  #reviewed = 0;
  readonly #users = new Map<string, Kept<User>>();
  readonly #decisions = new Map<string, Kept<boolean>>();

  /** @param keepMs default: a minute for a token, five for leave, half for a refusal */
  constructor(client: Pick<Writer, "create">, clock: Clock, keepMs: KeepMs = usualKeepMs) {
    this.#client = client;
    this.#clock = clock;
    this.#keepMs = keepMs;
  }

  /**
   * Who sends a request. 401 without a token that is good; 403 where its user may not do to the path, a non-resource URL, what the method
   * says; 429 for a token that is not known while 64 others are being reviewed.
   *
   * @throws {Error} if the API server cannot be asked
   */
  async admit(request: IncomingMessage, path: string): Promise<Admission> {
    const token = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
    const kept = token ? this.#kept(this.#users, token) : undefined;
    if (token && !kept && this.#reviewed >= maxReviewed)
      return { status: 429, message: "too many tokens are being reviewed; try again" };
    const user = kept ?? (token ? await this.#review(token) : undefined);
    if (!user) return { status: 401, message: "Unauthorized" };
    const verb = (request.method ?? "GET").toLowerCase();
    if (await this.#isAllowed(user, { nonResourceAttributes: { path, verb } })) return { status: 200, user };
    return { status: 403, message: `Authorization denied for user ${user.username ?? ""}` };
  }

  /** Whether a user may do something with one object. */
  mayAccess(user: ReviewedUser, { verb, group, version, resource, namespace, name }: ObjectAccess): Promise<boolean> {
    const about = { verb, group, version, resource, name, ...(namespace ? { namespace } : {}) };
    return this.#isAllowed(user, { resourceAttributes: about });
  }

  async #review(token: string): Promise<User | undefined> {
    this.#reviewed++;
    try {
      const { status } = await this.#client.create(TokenReview, { metadata: {}, spec: { token } });
      if (!status?.authenticated || !status.user) return undefined;
      this.#keep(this.#users, token, status.user, this.#keepMs.authenticated);
      return status.user;
    } finally {
      this.#reviewed--;
    }
  }

  async #isAllowed({ username, uid, groups, extra }: User, about: Access): Promise<boolean> {
    const key = JSON.stringify([username, uid, groups, extra, about]);
    const kept = this.#kept(this.#decisions, key);
    if (kept !== undefined) return kept;
    const { status } = await this.#client.create(SubjectAccessReview, {
      metadata: {},
      spec: {
        ...about,
        ...(username ? { user: username } : {}),
        ...(uid ? { uid } : {}),
        ...(groups ? { groups } : {}),
        ...(extra ? { extra } : {}),
      },
    });
    const isAllowed = status?.allowed === true;
    this.#keep(this.#decisions, key, isAllowed, isAllowed ? this.#keepMs.allowed : this.#keepMs.denied);
    return isAllowed;
  }

  #kept<T>(map: Map<string, Kept<T>>, key: string): T | undefined {
    const kept = map.get(key);
    return kept && kept.until > this.#clock.monotonic() ? kept.value : undefined;
  }

  #keep<T>(map: Map<string, Kept<T>>, key: string, value: T, ms: number): void {
    if (map.size >= maxKept) map.clear();
    map.set(key, { value, until: this.#clock.monotonic() + ms });
  }
}
