import type { IncomingMessage } from "node:http";
import type { Writer } from "@kubewright/client";
import { SubjectAccessReview, TokenReview } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";

/** Permission to handle a request, or the reason for rejecting it. */
export type Admission =
  | { readonly status: 200; readonly user: ReviewedUser }
  | { readonly status: 401 | 403 | 429; readonly message: string };

type Access = Pick<SubjectAccessReview["spec"], "nonResourceAttributes" | "resourceAttributes">;

const usualKeepMs = { authenticated: 60_000, allowed: 300_000, denied: 30_000 };
const maxKept = 1_000;
/** Maximum number of concurrent token reviews. Further tokens are rejected, because anyone can send them. */
const maxReviewed = 64;

/** How long API server responses are cached, in milliseconds. */
export type KeepMs = typeof usualKeepMs;

interface Kept<T> {
  readonly value: T;
  readonly until: number;
}

/** A token's user, as reported by the API server. */
export type ReviewedUser = NonNullable<NonNullable<TokenReview["status"]>["user"]>;
type User = ReviewedUser;

/** Access to one object with one verb. */
export interface ObjectAccess {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  /** Plural resource name, such as `pods`. */
  readonly resource: string;
  /** Namespace of the object. Absent for cluster-scoped objects. */
  readonly namespace?: string | undefined;
  readonly name: string;
}

/**
 * Uses the API server to authenticate a bearer token (TokenReview) and to check whether its user may access a path or object
 * (SubjectAccessReview). Responses are cached for a limited time.
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

  /** @param keepMs cache times. Default: one minute for a token, five minutes for allowed access, half a minute for denied access. */
  constructor(client: Pick<Writer, "create">, clock: Clock, keepMs: KeepMs = usualKeepMs) {
    this.#client = client;
    this.#clock = clock;
    this.#keepMs = keepMs;
  }

  /**
   * Authenticates and authorizes a request for a path, which is a non-resource URL. Returns status 401 without a valid token, 403 if the
   * user may not use the verb on the path, and 429 for an unknown token while 64 other tokens are being reviewed.
   *
   * @param verb verb that the user needs. Default: the request's method
   * @throws {Error} if the request to the API server fails
   */
  async admit(
    request: IncomingMessage,
    path: string,
    verb = (request.method ?? "GET").toLowerCase(),
  ): Promise<Admission> {
    const token = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
    const kept = token ? this.#kept(this.#users, token) : undefined;
    if (token && !kept && this.#reviewed >= maxReviewed)
      return { status: 429, message: "too many tokens are being reviewed; try again later" };
    const user = kept ?? (token ? await this.#review(token) : undefined);
    if (!user) return { status: 401, message: "Unauthorized" };
    if (await this.#isAllowed(user, { nonResourceAttributes: { path, verb } })) return { status: 200, user };
    return { status: 403, message: `Authorization denied for user ${user.username ?? ""}` };
  }

  /** Reports whether a user may access one object. */
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
