import type { Faults } from "./faults.ts";

/** Who connects. */
export interface TestUser {
  readonly name: string;
  /** Default none. `system:masters` may do everything. */
  readonly groups?: readonly string[] | undefined;
}

/** A service account that is there. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** How to connect: plain settings, which a client takes as they are. */
export interface TestConnection {
  readonly server: string;
  /** PEM. */
  readonly caData: string;
  /** The client's certificate and key, PEM. */
  readonly certData?: string | undefined;
  readonly keyData?: string | undefined;
  readonly token?: string | undefined;
  readonly namespace?: string | undefined;
}

/** An API server that a test may do anything to. What `Environment` needs of one, embedded or real. */
export interface TestBed {
  readonly name: "embedded" | "real";
  readonly faults: Faults;
  /** Settings for a user, who becomes known by this. */
  connectionFor(user: TestUser): Promise<TestConnection>;
  /** A token that the server takes for its own. */
  accountToken(account: Account, expiresInSeconds: number): Promise<string>;
  /** Ends the server hard, drops every connection, and starts it again at the same address with the same data. */
  restart(): Promise<void>;
  /** Forgets what was before the present version. */
  compact(): Promise<void>;
  stop(): Promise<void>;
}
