import type { Faults } from "./faults.ts";

/** The user of a connection. */
export interface TestUser {
  readonly name: string;
  /** The user's groups. `system:masters` may do everything. Default: none. */
  readonly groups?: readonly string[] | undefined;
}

/** An existing service account. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Connection settings for a client. */
export interface TestConnection {
  readonly server: string;
  /** CA certificate in PEM. */
  readonly caData: string;
  /** Client certificate in PEM. */
  readonly certData?: string | undefined;
  /** Private key of the client in PEM. */
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
  /** Creates a token that the server accepts. */
  accountToken(account: Account, expiresInSeconds: number): Promise<string>;
  /** Kills the server, drops all connections, and restarts it at the same address with the same data. */
  restart(): Promise<void>;
  /** Removes history before the current version. */
  compact(): Promise<void>;
  stop(): Promise<void>;
}
