import type { Faults } from "./faults.ts";

/** The user as which a client connects. */
export interface TestUser {
  readonly name: string;
  /** The user's groups. Members of `system:masters` have all permissions. Default: none. */
  readonly groups?: readonly string[] | undefined;
}

/** An existing service account. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** A request that a client in this process sends without a socket. */
interface InProcessRequest {
  readonly method: string;
  /** Path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The response to an {@link InProcessRequest}. */
interface InProcessResponse {
  readonly status: number;
  /** Headers, keyed by lower-case name. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Handles requests in this process. */
export type InProcessHandle = (request: InProcessRequest) => Promise<InProcessResponse>;

/** Settings for a client's connection to the server. */
export interface TestConnection {
  readonly server: string;
  /** Handles this user's requests without a socket. Present if and only if the environment was started with `inProcess`. */
  readonly handle?: InProcessHandle | undefined;
  /** CA certificate in PEM format. */
  readonly caData: string;
  /** Client certificate in PEM format. */
  readonly certData?: string | undefined;
  /** Private key of the client in PEM format. */
  readonly keyData?: string | undefined;
  readonly token?: string | undefined;
  readonly namespace?: string | undefined;
}

/** An API server for tests, embedded or real. */
export interface TestBed {
  readonly name: "embedded" | "real";
  readonly faults: Faults;
  /** Adds a user and returns its connection settings. */
  connectionFor(user: TestUser): Promise<TestConnection>;
  /** Creates a token for a service account, which the server accepts. */
  accountToken(account: Account, expiresInSeconds: number): Promise<string>;
  /**
   * Redirects the server's calls to a given host to a function. Returns a function that ends the redirection. Absent if the server runs in
   * another process.
   */
  connectInProcess?(host: string, handle: InProcessHandle): () => void;
  /** Kills the server, drops all connections, and restarts it at the same address with the same data. */
  restart(): Promise<void>;
  /** Removes the history before the current version. */
  compact(): Promise<void>;
  stop(): Promise<void>;
}
