import { generateKeyPairSync, sign } from "node:crypto";
import { systemClock } from "@kubewright/clock";
import { bitString, integer, objectIdentifier, sequence, setOf, time, utf8String } from "./der.ts";

/**
 * Returns an empty certificate revocation list in PEM format, issued by an authority that is not used for anything
 * else.
 */
export function emptyRevocationList(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(objectIdentifier("1.2.840.10045.4.3.2"));
  const body = sequence(
    integer(Buffer.from([1])), // version 2
    algorithm,
    sequence(setOf(sequence(objectIdentifier("2.5.4.3"), utf8String("nobody")))),
    time(systemClock.now()),
  );
  const der = sequence(body, algorithm, bitString(sign("sha256", body, privateKey)));
  return `-----BEGIN X509 CRL-----\n${(der.toString("base64").match(/.{1,64}/g) ?? []).join("\n")}\n-----END X509 CRL-----\n`;
}
