import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { expect, it } from "vitest";
import { organizationsOfRequest, parseCertificationRequest } from "./certification-request.ts";
import { bitString, integer, objectIdentifier, octetString, sequence, setOf, tagged, utf8String } from "./der.ts";

function requestFor(organization: Buffer): string {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = sequence(setOf(sequence(objectIdentifier("2.5.4.10"), organization)));
  const key = publicKey.export({ type: "spki", format: "der" });
  const body = sequence(integer(Buffer.from([0])), subject, key, tagged(0, Buffer.alloc(0)));
  const der = sequence(body, sequence(objectIdentifier("1.2.840.10045.4.3.2")), bitString(Buffer.alloc(8)));
  return `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`;
}

it("a group is equal in every string type, so none can be hidden from checks", () => {
  const utf16 = Buffer.from("system:masters", "utf16le").swap16();
  const wide = Buffer.concat([Buffer.from([0x1e, utf16.length]), utf16]);
  expect(organizationsOfRequest(requestFor(utf8String("system:masters")))).toEqual(["system:masters"]);
  expect(organizationsOfRequest(requestFor(wide))).toEqual(["system:masters"]);
});

it("a group that is not text makes the request unreadable", () => {
  expect(organizationsOfRequest(requestFor(Buffer.from([0x0c, 1, 0xff])))).toBeUndefined();
});

/** Creates a request as another program might, signed by its key. */
function otherRequest(
  { identifier, digest, key }: { identifier: string; digest: string | null; key: KeyObject },
  names: readonly Buffer[] = [],
): string {
  const list = sequence(objectIdentifier("2.5.29.17"), octetString(sequence(...names)));
  const wanted = sequence(objectIdentifier("1.2.840.113549.1.9.14"), setOf(sequence(list)));
  const challenge = sequence(objectIdentifier("1.2.840.113549.1.9.7"), setOf(utf8String("x")));
  const spki = createPublicKey(key).export({ type: "spki", format: "der" });
  const body = sequence(integer(Buffer.from([0])), sequence(), spki, tagged(0, Buffer.concat([challenge, wanted])));
  const der = sequence(body, sequence(objectIdentifier(identifier)), bitString(sign(digest, body, key)));
  return `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`;
}

const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey;
const byEc = { identifier: "1.2.840.10045.4.3.2", digest: "sha256", key: ec };

it.each([
  [byEc, true],
  [{ ...byEc, identifier: "1.2.840.10045.4.3.3", digest: "sha384" }, true],
  [{ ...byEc, identifier: "1.2.840.10045.4.3.4", digest: "sha512" }, true],
  [{ identifier: "1.2.840.113549.1.1.11", digest: "sha256", key: rsa }, true],
  [{ identifier: "1.2.840.113549.1.1.12", digest: "sha384", key: rsa }, true],
  [{ identifier: "1.2.840.113549.1.1.13", digest: "sha512", key: rsa }, true],
  [{ identifier: "1.3.101.112", digest: null, key: generateKeyPairSync("ed25519").privateKey }, true],
  [{ ...byEc, digest: "sha384" }, false],
  [{ identifier: "1.2.840.113549.1.1.5", digest: "sha1", key: rsa }, false],
])("reports whether a request is signed: %o", (by, isSigned) => {
  expect(parseCertificationRequest(otherRequest(by)).isSigned).toBe(isSigned);
});

/** @see RFC 5280 4.2.1.6 GeneralName */
it("distinguishes the forms of alternative names, and omits an absent one", () => {
  const name = (tag: number, text: string): Buffer => tagged(tag, Buffer.from(text), false);
  const names = [name(1, "j@x.y"), name(2, "a.example"), name(6, "spiffe://x/y"), name(7, "abcd"), name(8, "no")];
  const request = parseCertificationRequest(otherRequest(byEc, names));
  expect(request).toMatchObject({
    commonName: "",
    organizations: [],
    attributes: [],
    emailAddresses: ["j@x.y"],
    dnsNames: ["a.example"],
    uris: ["spiffe://x/y"],
    ipAddresses: [Buffer.from("abcd")],
  });
  expect(request.alternativeNames?.equals(sequence(...names))).toBe(true);
});

it("rejects an incomplete request", () => {
  const pem = (der: Buffer): string =>
    `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`;
  const algorithm = sequence(objectIdentifier(byEc.identifier));
  for (const der of [
    sequence(),
    sequence(sequence(), algorithm),
    sequence(sequence(sequence()), algorithm, bitString(Buffer.alloc(1))),
  ])
    expect(() => parseCertificationRequest(pem(der))).toThrow("certificate request is incomplete");
});
