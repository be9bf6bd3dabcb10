import type { IncomingMessage } from "node:http";
import type { ObjectAccess, RequestAuthenticator, ReviewedUser } from "@kubewright/manager/http";
import type { Listening } from "./listening.ts";
import { type Sessions, sessionHeader } from "./sessions.ts";

/** A viewer: either a browser on this machine with a session, or a user of the cluster. */
export type Viewer =
  | { readonly type: "local"; readonly session: string }
  | { readonly type: "user"; readonly user: ReviewedUser };

export type Entry =
  | { readonly status: 200; readonly viewer: Viewer }
  | { readonly status: 401 | 403 | 429; readonly message: string };

/** Returns a viewer's identity, which is the same for all tokens of a user. */
export const viewerId = (viewer: Viewer): string =>
  viewer.type === "local"
    ? `session ${viewer.session}`
    : `user ${JSON.stringify([viewer.user.username, viewer.user.uid])}`;

/** A kind to list, in one or all namespaces. */
export type ListedKind = Pick<ObjectAccess, "group" | "version" | "resource" | "namespace">;

export interface GateOptions {
  readonly listening: Listening;
  readonly sessions: Sessions;
  readonly authenticator: Pick<RequestAuthenticator, "admit" | "mayAccess">;
  /** Reports whether the program itself has access to an object. */
  readonly mayProgram: (object: ObjectAccess) => Promise<boolean>;
}

/** Admits viewers who have a session (only on loopback) or a bearer token, which the API server reviews. */
export class Gate {
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** @param verb verb on the path that a user needs. Default: the request's method */
  async enter(request: IncomingMessage, path: string, verb?: string): Promise<Entry> {
    const { listening, sessions, authenticator } = this.#options;
    const { authorization, [sessionHeader]: header } = request.headers;
    const session = authorization === undefined && listening.isLoopback ? sessions.find(header) : undefined;
    if (session !== undefined) return { status: 200, viewer: { type: "local", session } };
    const admission = await authenticator.admit(request, path, verb);
    return admission.status === 200 ? { status: 200, viewer: { type: "user", user: admission.user } } : admission;
  }

  /**
   * Reports whether a viewer may see an object. The program can read more than its viewers may see, so the user's permission is checked for
   * each object. A local viewer has the token from the terminal and is therefore assumed to be the person who runs the program.
   */
  async maySee(viewer: Viewer, object: ObjectAccess): Promise<boolean> {
    return viewer.type === "local" || this.#options.authenticator.mayAccess(viewer.user, object);
  }

  /**
   * Reports whether a viewer may act on an object, which requires permission to update it. A local viewer acts with the program's
   * permissions. The API server decides in both cases.
   */
  mayAct(viewer: Viewer, object: Omit<ObjectAccess, "verb">): Promise<boolean> {
    const { authenticator, mayProgram } = this.#options;
    const access = { verb: "update", ...object };
    return viewer.type === "local" ? mayProgram(access) : authenticator.mayAccess(viewer.user, access);
  }

  /** Reports whether a viewer may list a kind. Viewers who may not do so see only the number of objects. */
  mayList(viewer: Viewer, kind: ListedKind): Promise<boolean> {
    return this.maySee(viewer, { verb: "list", ...kind, name: "" });
  }
}
