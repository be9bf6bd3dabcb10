import { createPrivateKey, X509Certificate } from "node:crypto";

const certificateBlock = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/;
const keyBlock = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/;
const anyBlock = /-----BEGIN [^-\n]+-----/;

/** Returns Go's warnings for a certificate and key that do not match. @see crypto/tls X509KeyPair */
export function keyPairWarnings(certificate: string, key: string): string[] {
  const block = certificateBlock.exec(certificate)?.[0];
  if (!block)
    return [
      anyBlock.test(certificate)
        ? `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${blockTypes(certificate)}]`
        : "tls: failed to find any PEM data in certificate input",
    ];
  const secret = keyBlock.exec(key)?.[0];
  if (!secret)
    return [
      anyBlock.test(key)
        ? `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${blockTypes(key)}]`
        : "tls: failed to find any PEM data in key input",
    ];
  try {
    const isPair = new X509Certificate(block).checkPrivateKey(createPrivateKey(secret));
    return isPair ? [] : ["tls: private key does not match public key"];
  } catch {
    return ["tls: failed to parse private key"]; // Go's message is more precise
  }
}

const blockTypes = (pem: string): string =>
  [...pem.matchAll(/-----BEGIN ([^-\n]+)-----/g)].map(([, type]) => type).join(" ");
