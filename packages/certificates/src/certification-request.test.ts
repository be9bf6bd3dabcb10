import { generateKeyPairSync } from "node:crypto";
import { expect, it } from "vitest";
import { organizationsOfRequest } from "./certification-request.ts";
import { bitString, integer, objectIdentifier, sequence, setOf, tagged, utf8String } from "./der.ts";

function requestFor(organization: Buffer): string {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = sequence(setOf(sequence(objectIdentifier("2.5.4.10"), organization)));
  const key = publicKey.export({ type: "spki", format: "der" });
  const body = sequence(integer(Buffer.from([0])), subject, key, tagged(0, Buffer.alloc(0)));
  const der = sequence(body, sequence(objectIdentifier("1.2.840.10045.4.3.2")), bitString(Buffer.alloc(8)));
  return `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`;
}

it("a group is the same in every form of text: none hides from those who refuse it", () => {
  const utf16 = Buffer.from("system:masters", "utf16le").swap16();
  const wide = Buffer.concat([Buffer.from([0x1e, utf16.length]), utf16]);
  expect(organizationsOfRequest(requestFor(utf8String("system:masters")))).toEqual(["system:masters"]);
  expect(organizationsOfRequest(requestFor(wide))).toEqual(["system:masters"]);
});

it("a group that is no text makes the request unreadable", () => {
  expect(organizationsOfRequest(requestFor(Buffer.from([0x0c, 1, 0xff])))).toBeUndefined();
});
