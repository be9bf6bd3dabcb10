import { X509Certificate } from "node:crypto";
import { expect, it } from "vitest";
import { attributeTypes, certificateDetails, commonNameOf, subjectValues } from "./certificate-details.ts";
import { commonName, type NamePart, organization, testCertificate } from "./testing/test-certificate.ts";

const text = (tag: number, content: Buffer): Buffer => Buffer.concat([Buffer.from([tag, content.length]), content]);
const utf16 = (value: string): Buffer => Buffer.from(value, "utf16le").swap16();
const named = (...subject: readonly NamePart[]): X509Certificate =>
  new X509Certificate(testCertificate({ subject }).certificate);

it.each([
  ["a comma and a backslash", [commonName("Doe\\, John")], "Doe\\, John", []],
  ["a comma", [commonName("Doe, John"), organization("a,b")], "Doe, John", ["a,b"]],
  ["what looks like another part", [commonName("eve\nO=system:masters")], "eve\nO=system:masters", []],
  ["a slash, a plus and an equals sign", [commonName("/O=x+CN=y/")], "/O=x+CN=y/", []],
  ["several groups", [organization("b"), commonName("jane"), organization("a")], "jane", ["b", "a"]],
  [
    "a part of several attributes",
    [
      [...organization("dev"), ...commonName("jane")],
      [...organization("ops"), ...organization("qa")],
    ],
    "jane",
    ["dev", "ops", "qa"],
  ],
  ["two common names: the last counts", [commonName("first"), commonName("last")], "last", []],
  ["no common name", [organization("a")], "", ["a"]],
  ["letters beyond ASCII", [commonName("Jürgen 🚀")], "Jürgen 🚀", []],
  ["an older form of text", [commonName(text(0x1e, utf16("jané")))], "jané", []],
  ["Latin letters", [commonName(text(0x13, Buffer.from("jane:x".replace(":", "-"))))], "jane-x", []],
])("reads a name with %s", (_what, subject, name, groups) => {
  const certificate = named(...(subject as NamePart[]));
  expect(commonNameOf(certificate)).toBe(name);
  expect(subjectValues(certificate, attributeTypes.organization)).toEqual(groups);
});

it.each([
  ["bytes that are no text", text(0x0c, Buffer.from([0xff, 0xfe]))],
  ["characters that do not belong", text(0x13, Buffer.from("a\0b"))],
  ["half a character", text(0x1e, Buffer.from("abc"))],
  ["a number", Buffer.from([0x02, 1, 5])],
])("refuses a name of %s", (_what, value) => {
  expect(() => certificateDetails(named(commonName(value)))).toThrow();
});

it("reads times of both forms", () => {
  const [notBeforeMs, notAfterMs] = [Date.parse("1999-12-31T23:59:59Z"), Date.parse("2055-02-03T04:05:06Z")];
  const { certificate } = testCertificate({ subject: [commonName("x")], notBeforeMs, notAfterMs });
  expect(certificateDetails(new X509Certificate(certificate))).toMatchObject({ notBeforeMs, notAfterMs });
});
