import { X509Certificate } from "node:crypto";
import { expect, it } from "vitest";
import {
  attributeTypes,
  certificateDetails,
  commonNameOf,
  nameAttributes,
  subjectValues,
} from "./certificate-details.ts";
import { objectIdentifier, sequence, setOf } from "./der.ts";
import { readDer } from "./der-reader.ts";
import { commonName, type NamePart, organization, testCertificate } from "./testing/test-certificate.ts";

const text = (tag: number, content: Buffer): Buffer => Buffer.concat([Buffer.from([tag, content.length]), content]);
const utf16 = (value: string): Buffer => Buffer.from(value, "utf16le").swap16();
const named = (...subject: readonly NamePart[]): X509Certificate =>
  new X509Certificate(testCertificate({ subject }).certificate);

it.each([
  ["a comma and a backslash", [commonName("Doe\\, John")], "Doe\\, John", []],
  ["a comma", [commonName("Doe, John"), organization("a,b")], "Doe, John", ["a,b"]],
  ["text that looks like another part", [commonName("eve\nO=system:masters")], "eve\nO=system:masters", []],
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
  ["an older form of text that is filled up", [commonName(text(0x1e, utf16("jane\0\0")))], "jane", []],
  ["a defunct form of text", [commonName(text(0x14, Buffer.from("jané")))], "jané", []],
  ["ASCII", [commonName(text(0x16, Buffer.from("jane@\x7f")))], "jane@\x7f", []],
  ["digits", [commonName(text(0x12, Buffer.from("12 3")))], "12 3", []],
  ["Latin letters", [commonName(text(0x13, Buffer.from("jane:x".replace(":", "-"))))], "jane-x", []],
])("reads a name with %s", (_what, subject, name, groups) => {
  const certificate = named(...(subject as NamePart[]));
  expect(commonNameOf(certificate)).toBe(name);
  expect(subjectValues(certificate, attributeTypes.organization)).toEqual(groups);
});

it.each([
  ["bytes that are not text", text(0x0c, Buffer.from([0xff, 0xfe]))],
  ["characters that do not belong", text(0x13, Buffer.from("a\0b"))],
  ["half a character", text(0x1e, Buffer.from("abc"))],
  ["a number", Buffer.from([0x02, 1, 5])],
  ["bytes that are not ASCII", text(0x16, Buffer.from([0x61, 0x80]))],
  ["letters among digits", text(0x12, Buffer.from("1a"))],
])("rejects a name of %s", (_what, value) => {
  expect(() => certificateDetails(named(commonName(value)))).toThrow();
});

it("does not take long for a name of many zeros", () => {
  const zeros = "\0".repeat(60_000);
  const content = utf16(`${zeros}a`);
  const value = Buffer.concat([
    Buffer.from([0x1e, 0x83, ...[16, 8, 0].map((bits) => (content.length >> bits) & 0xff)]),
    content,
  ]);
  const [name] = readDer(sequence(setOf(sequence(objectIdentifier(attributeTypes.commonName), value))));
  const start = performance.now();
  expect(name && nameAttributes(name)).toEqual([expect.objectContaining({ value: `${zeros}a` })]);
  expect(performance.now() - start).toBeLessThan(3_000);
});

it("reads both forms of times", () => {
  const [notBeforeMs, notAfterMs] = [Date.parse("1999-12-31T23:59:59Z"), Date.parse("2055-02-03T04:05:06Z")];
  const { certificate } = testCertificate({ subject: [commonName("x")], notBeforeMs, notAfterMs });
  expect(certificateDetails(new X509Certificate(certificate))).toMatchObject({ notBeforeMs, notAfterMs });
});

const restricted = (value: Buffer): X509Certificate =>
  new X509Certificate(testCertificate({ subject: [commonName("x")], extensions: [["2.5.29.19", value]] }).certificate);
const number = (...bytes: readonly number[]): Buffer => text(0x02, Buffer.from(bytes));
const yes = text(0x01, Buffer.from([0xff]));

it.each([
  ["nothing", sequence(), { ca: false }],
  ["that it is one", sequence(yes), { ca: true }],
  ["that it is not a CA", sequence(text(0x01, Buffer.from([0]))), { ca: false }],
  ["how long a path may be", sequence(yes, number(0)), { ca: true, pathLength: 0 }],
  ["a long path", sequence(yes, number(0x7f, 0xff, 0xff, 0xff)), { ca: true, pathLength: 2 ** 31 - 1 }],
  ["the path alone", sequence(number(3)), { ca: false, pathLength: 3 }],
])("reads the CA attributes of an authority: %s", (_what, value, basicConstraints) => {
  expect(certificateDetails(restricted(value)).basicConstraints).toEqual(basicConstraints);
});

it.each([
  ["no number", sequence(yes, text(0x04, Buffer.from([1])))],
  ["no digits", sequence(yes, number())],
  ["less than nothing", sequence(yes, number(0xff))],
  ["more than 32 bits", sequence(yes, number(0, 1, 2, 3, 4))],
])("rejects the path length %s", (_what, value) => {
  expect(() => certificateDetails(restricted(value))).toThrow("x509: invalid basic constraints");
});

it("rejects a name with half an attribute", () => {
  const [name] = readDer(sequence(setOf(sequence(objectIdentifier(attributeTypes.commonName)))));
  if (!name) throw new Error("no name");
  expect(() => nameAttributes(name)).toThrow("x509: invalid RDNSequence: invalid attribute");
});

it.each([
  [0xff, ["1.2.3.4"]],
  [0x01, ["1.2.3.4"]],
  [0x00, []],
])("an extension with %i as its critical flag", (value, critical) => {
  const extensions = [["1.2.3.4", sequence(), true]] as const;
  const { raw } = new X509Certificate(testCertificate({ subject: [commonName("x")], extensions }).certificate);
  raw[raw.indexOf(objectIdentifier("1.2.3.4")) + objectIdentifier("1.2.3.4").length + 2] = value;
  expect(certificateDetails(new X509Certificate(raw)).unhandledCritical).toEqual(critical);
});
