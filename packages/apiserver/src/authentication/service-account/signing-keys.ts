import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";

/** A public key for verifying tokens. */
export interface VerifyingKey {
  /** Identifier of the key in tokens (`kid`): the SHA-256 digest of its DER form, in base64url encoding. */
  readonly id: string;
  readonly algorithm: string;
  readonly key: KeyObject;
}

/** A key pair for signing tokens: RSA (RS256), or EC on the curve P-256, P-384 or P-521. */
export interface SigningKey extends VerifyingKey {
  readonly privateKey: KeyObject;
}

/** Generates a new signing key on the curve P-256. */
export function generateSigningKey(): SigningKey {
  return signingKeyOf(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey);
}

/**
 * Returns the first private key (RSA or EC) in a PEM string.
 *
 * @throws {Error} with kube-apiserver's message if the text contains no such key
 */
export function signingKeyOfPem(text: string): SigningKey {
  const [key] = keysOfPem(text, /PRIVATE KEY$/, createPrivateKey);
  if (!key) throw new Error("data does not contain a valid RSA or ECDSA private key");
  return signingKeyOf(key);
}

/**
 * Returns the public keys in a PEM string. For a private key or certificate, its public key is returned.
 *
 * @throws {Error} with kube-apiserver's message if the text contains no such keys
 */
export function verifyingKeysOfPem(text: string): VerifyingKey[] {
  const keys = keysOfPem(text, /(PUBLIC KEY|PRIVATE KEY|CERTIFICATE)$/, createPublicKey);
  if (keys.length === 0) throw new Error("data does not contain any valid RSA or ECDSA public keys");
  return keys.map(verifyingKeyOf);
}

const signingKeyOf = (privateKey: KeyObject): SigningKey => ({
  ...verifyingKeyOf(createPublicKey(privateKey)),
  privateKey,
});

function verifyingKeyOf(key: KeyObject): VerifyingKey {
  const id = createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest("base64url");
  return { id, algorithm: algorithmOf(key) ?? "", key };
}

const curves: Readonly<Record<string, string>> = { prime256v1: "ES256", secp384r1: "ES384", secp521r1: "ES512" };

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string | undefined {
  if (asymmetricKeyType === "rsa") return "RS256";
  return asymmetricKeyType === "ec" ? curves[asymmetricKeyDetails?.namedCurve ?? ""] : undefined;
}

function keysOfPem(text: string, label: RegExp, read: (pem: string) => KeyObject): KeyObject[] {
  const blocks = text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----[\s\S]+?-----END \1-----/g);
  return [...blocks].flatMap(([pem, name = ""]) => {
    if (!label.test(name)) return [];
    try {
      const key = read(pem);
      return algorithmOf(key) === undefined ? [] : [key];
    } catch {
      return []; // like kube-apiserver, skip a block that does not contain such a key
    }
  });
}
