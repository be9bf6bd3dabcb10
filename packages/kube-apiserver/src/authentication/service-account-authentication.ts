import type { Unstructured } from "@kubewright/apimachinery";
import type { TokenAuthenticator } from "@kubewright/apiserver/authentication";
import {
  boundTokenAuthenticator,
  keySetPath,
  legacyTokenAuthenticator,
  type OpenIdMetadata,
  openIdMetadata,
  ServiceAccountTokenSigner,
  type SigningKey,
  signingKeyOfPem,
  storedObjects,
  VerifiedTokens,
  type VerifyingKey,
  verifyingKeysOfPem,
} from "@kubewright/apiserver/authentication";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import { readOptionFile } from "@kubewright/apiserver/server";
import type { Clock, Random } from "@kubewright/clock";
import type { Storage } from "@kubewright/storage";
import type { AuthenticationOptions } from "./authentication-options.ts";

const defaultIssuer = "https://kubernetes.default.svc";

/** Signs and verifies ServiceAccount tokens, and provides the metadata that others need to verify them. */
export class ServiceAccountAuthentication {
  readonly issuers: readonly string[];
  readonly apiAudiences: readonly string[];
  readonly signer: ServiceAccountTokenSigner;
  readonly authenticators: readonly TokenAuthenticator[];
  readonly #keys: readonly VerifyingKey[];
  readonly #jwksUri: string | undefined;

  /**
   * Reads the keys that the options name.
   *
   * @throws {Error} with kube-apiserver's message if a key file contains no keys
   */
  constructor({
    options,
    storage,
    clock,
    random,
    signingKey,
  }: {
    readonly options: AuthenticationOptions;
    readonly storage: Storage;
    readonly clock: Clock;
    readonly random: Random;
    /** Function that returns the default signing key. */
    readonly signingKey: () => SigningKey;
  }) {
    const { serviceAccountIssuer, serviceAccountKeyFiles = [], serviceAccountLookup: mustExist = true } = options;
    this.issuers = serviceAccountIssuer?.length ? serviceAccountIssuer : [defaultIssuer];
    this.apiAudiences = options.apiAudiences?.length ? options.apiAudiences : this.issuers;
    this.#jwksUri = options.serviceAccountJwksUri;
    const key = signingKeyOf(options.serviceAccountSigningKeyFile) ?? signingKey();
    const given = serviceAccountKeyFiles.flatMap(keysOf);
    this.#keys = given.length > 0 ? given : [key];
    this.signer = new ServiceAccountTokenSigner(this.issuers[0] ?? defaultIssuer, key, random);
    const tokens = new VerifiedTokens(this.#keys);
    const shared = { tokens, apiAudiences: this.apiAudiences, lookup: storedObjects(storage) };
    this.authenticators = [
      legacyTokenAuthenticator({ ...shared, mustExist, onUse: (secret) => noteUse(storage, secret, clock) }),
      boundTokenAuthenticator({ ...shared, issuers: this.issuers, clock }),
    ];
  }

  /**
   * Returns the OpenID metadata of this server, if there is any.
   *
   * @param address host and port of the server
   */
  metadata(address: string): OpenIdMetadata | undefined {
    const [issuer = defaultIssuer] = this.issuers;
    return openIdMetadata(issuer, this.#jwksUri ?? `https://${address}${keySetPath}`, this.#keys);
  }
}

function signingKeyOf(path: string | undefined): SigningKey | undefined {
  if (!path) return undefined;
  const attempt = `failed to parse service-account-issuer-key-file: `;
  const text = readOptionFile(path, `${attempt}`);
  return readKeys(`${attempt}error reading private key file ${path}: `, () => signingKeyOfPem(text));
}

function keysOf(path: string): readonly VerifyingKey[] {
  const text = readOptionFile(path);
  return readKeys(`error reading public key file ${path}: `, () => verifyingKeysOfPem(text));
}

function readKeys<Keys>(attempt: string, read: () => Keys): Keys {
  try {
    return read();
  } catch (cause) {
    throw new Error(`${attempt}${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

const lastUsed = "kubernetes.io/legacy-token-last-used";

/** Records the date on which a Secret's token was last used, so that unused tokens can be found. */
function noteUse(storage: Storage, { metadata }: ReadonlyObject, clock: Clock): void {
  const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const today = day(clock.now());
  const noted = metadata.labels?.[lastUsed];
  if (noted === today || noted === day(clock.now() + 24 * 3_600_000)) return;
  const { uid, namespace = "", name } = metadata;
  storage
    .guaranteedUpdate(`/core/secrets/${namespace}/${name}`, { preconditions: { uid } }, (current) => {
      const object = structuredClone(current) as Unstructured;
      object.metadata.labels = { ...object.metadata.labels, [lastUsed]: today };
      return { object };
    })
    .catch(() => {
      // the Secret was deleted or changed; the next use is recorded
    });
}
