import type { IncomingMessage } from "node:http";
import type { ObjectAccess, RequestAuthenticator, ReviewedUser } from "@kubewright/manager";
import type { Listening } from "./listening.ts";
import { type Sessions, sessionHeader } from "./sessions.ts";

/** Who looks: somebody at this machine, who was handed the token, in one of their browsers; or a user of the cluster. */
export type Viewer =
  | { readonly type: "local"; readonly session: string }
  | { readonly type: "user"; readonly user: ReviewedUser };

export type Entry =
  | { readonly status: 200; readonly viewer: Viewer }
  | { readonly status: 401 | 403 | 429; readonly message: string };

/** Names a viewer among others; all tokens of a user are one viewer. */
export const viewerId = (viewer: Viewer): string =>
  viewer.type === "local"
    ? `session ${viewer.session}`
    : `user ${JSON.stringify([viewer.user.username, viewer.user.uid])}`;

/** A kind of objects that somebody wants to list, everywhere or in one namespace. */
export type ListedKind = Pick<ObjectAccess, "group" | "version" | "resource" | "namespace">;

export interface GateOptions {
  readonly listening: Listening;
  readonly sessions: Sessions;
  readonly authenticator: Pick<RequestAuthenticator, "admit" | "mayAccess">;
}

/** Lets in who may look. A session counts on loopback alone; a bearer token, which the API server is asked about, counts everywhere. */
export class Gate {
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  async enter(request: IncomingMessage, path: string): Promise<Entry> {
    const { listening, sessions, authenticator } = this.#options;
    const { authorization, [sessionHeader]: header } = request.headers;
    const session = authorization === undefined && listening.isLoopback ? sessions.find(header) : undefined;
    if (session !== undefined) return { status: 200, viewer: { type: "local", session } };
    const admission = await authenticator.admit(request, path);
    return admission.status === 200 ? { status: 200, viewer: { type: "user", user: admission.user } } : admission;
  }

  /**
   * Whether a viewer may see an object. What the program can read is more than its viewers may: each is asked about. Whoever holds the
   * token of the terminal is whoever runs the program.
   */
  async maySee(viewer: Viewer, object: ObjectAccess): Promise<boolean> {
    return viewer.type === "local" || this.#options.authenticator.mayAccess(viewer.user, object);
  }

  /** Reports whether a viewer may list a kind: those who may not see how many objects there are, and nothing that is about one of them. */
  mayList(viewer: Viewer, kind: ListedKind): Promise<boolean> {
    return this.maySee(viewer, { verb: "list", ...kind, name: "" });
  }
}
