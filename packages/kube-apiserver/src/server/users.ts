import { randomBytes } from "node:crypto";
import { StaticTokens } from "@kubewright/apiserver/authentication";
import type { CertificateAuthority } from "@kubewright/certificates";

/** A user that the server itself authenticates, by a client certificate and a token. */
export interface UserOptions {
  readonly name: string;
  /** Groups of the user. Members of `system:masters` may do everything. Default: no groups. */
  readonly groups?: readonly string[] | undefined;
  /** Token of the user. Default: a generated token. */
  readonly token?: string | undefined;
}

/** A user's credentials. */
export interface UserCredentials {
  readonly name: string;
  /** Client certificate, in PEM format. */
  readonly certData: string;
  /** The client certificate's key, in PEM format. */
  readonly keyData: string;
  readonly token: string;
}

/** The users that the server authenticates by certificate and token. */
export class Users {
  readonly tokens = new StaticTokens();
  readonly #clientCa: CertificateAuthority;
  readonly #credentials = new Map<string, UserCredentials>();

  constructor(clientCa: CertificateAuthority) {
    this.#clientCa = clientCa;
  }

  add({ name, groups = [], token = randomBytes(24).toString("base64url") }: UserOptions): UserCredentials {
    const { certificate, key } = this.#clientCa.issueClient({ commonName: name, organizations: groups });
    const credentials = { name, certData: certificate, keyData: key, token };
    this.tokens.add(token, { name, groups: [...groups] });
    this.#credentials.set(name, credentials);
    return credentials;
  }

  /**
   * Returns the credentials of a user.
   *
   * @throws {Error} if the user does not exist
   */
  credentials(name: string): UserCredentials {
    const found = this.#credentials.get(name);
    if (!found) throw new Error(`no user "${name}": add it first`);
    return found;
  }
}
