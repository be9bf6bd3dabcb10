import { StaticTokens } from "@kubewright/apiserver/authentication";
import type { CertificateAuthority, IssuedCertificate } from "@kubewright/certificates";
import type { Random } from "@kubewright/clock";

/** A user whom the server itself authenticates, by client certificate and token. */
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

/** The users whom the server itself authenticates, by certificate and token. */
export class Users {
  readonly tokens = new StaticTokens();
  readonly #clientCa: () => CertificateAuthority;
  readonly #random: Random;
  readonly #users = new Map<string, KnownUser>();

  /**
   * @param clientCa returns the CA of the client certificates; called when a certificate is needed for the first time
   * @param random source of tokens
   */
  constructor(clientCa: () => CertificateAuthority, random: Random) {
    this.#clientCa = clientCa;
    this.#random = random;
  }

  add({ name, groups = [], token = this.#random.bytes(24).toString("base64url") }: UserOptions): KnownUser {
    this.tokens.add(token, { name, groups: [...groups] });
    const user = new KnownUser(name, groups, token, this.#clientCa);
    this.#users.set(name, user);
    return user;
  }

  /**
   * Returns a user with its credentials.
   *
   * @throws {Error} if the user does not exist
   */
  find(name: string): KnownUser {
    const found = this.#users.get(name);
    if (!found) throw new Error(`there is no user "${name}"; add it first`);
    return found;
  }
}

/** A user whose certificate is issued when it is first needed. */
class KnownUser implements UserCredentials {
  readonly name: string;
  readonly groups: readonly string[];
  readonly token: string;
  readonly #clientCa: () => CertificateAuthority;
  #issued: IssuedCertificate | undefined;

  constructor(name: string, groups: readonly string[], token: string, clientCa: () => CertificateAuthority) {
    this.name = name;
    this.groups = groups;
    this.token = token;
    this.#clientCa = clientCa;
  }

  get certData(): string {
    return this.#certificate.certificate;
  }

  get keyData(): string {
    return this.#certificate.key;
  }

  get #certificate(): IssuedCertificate {
    this.#issued ??= this.#clientCa().issueClient({ commonName: this.name, organizations: this.groups });
    return this.#issued;
  }
}
