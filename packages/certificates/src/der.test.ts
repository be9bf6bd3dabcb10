import { describe, expect, it } from "vitest";
import {
  bitString,
  boolean,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  tagged,
  time,
  utf8String,
} from "./der.ts";
import { childrenOf, identifierText, pemBody, readDer } from "./der-reader.ts";

const hex = (bytes: Buffer): string => bytes.toString("hex");
const bytes = (text: string): Buffer => Buffer.from(text, "hex");

/** @see ITU-T X.690 8 */
it.each([
  ["a number", integer(bytes("7f")), "02017f"],
  ["a number whose first bit would make it negative", integer(bytes("80")), "02020080"],
  ["nothing but a list", sequence(), "3000"],
  ["bits, and how many are not meant", bitString(bytes("a0"), 5), "030205a0"],
  ["bits that are all meant", bitString(bytes("ff")), "030200ff"],
  ["yes", boolean(true), "0101ff"],
  ["no", boolean(false), "010100"],
  ["text", utf8String("é"), "0c02c3a9"],
  ["the longest content with a short length", octetString(Buffer.alloc(127)), `047f${"00".repeat(127)}`],
  ["the shortest with a long one", octetString(Buffer.alloc(128)), `048180${"00".repeat(128)}`],
  ["a length of one byte", octetString(Buffer.alloc(255)), `0481ff${"00".repeat(255)}`],
  ["a length of two bytes", octetString(Buffer.alloc(256)), `04820100${"00".repeat(256)}`],
  ["a tag around elements", tagged(3, sequence()), "a3023000"],
  ["a tag around bytes", tagged(7, bytes("0a"), false), "87010a"],
])("%s is encoded according to X.690", (_, written, want) => {
  expect(hex(written)).toBe(want);
});

/** @see ITU-T X.690 8.19 */
it.each([
  ["2.5.4.3", "0603550403"],
  ["1.2.840.113549.1.1.11", "06092a864886f70d01010b"],
  ["1.3.101.112", "06032b6570"],
  ["0.9", "060109"],
  ["2.47", "06017f"],
  ["2.48", "06028100"],
  ["2.999.3", "0603883703"],
  ["1.2.127.128", "06042a7f8100"],
])("the identifier %s is encoded as %s, and decoded again", (text, want) => {
  expect(hex(objectIdentifier(text))).toBe(want);
  const [read] = readDer(bytes(want));
  expect(read && identifierText(read)).toBe(text);
});

/** @see RFC 5280 4.1.2.5 */
it.each([
  ["1999-12-31T23:59:59.999Z", 0x17, "991231235959Z"],
  ["2049-12-31T23:59:59.000Z", 0x17, "491231235959Z"],
  ["2050-01-01T00:00:00.000Z", 0x18, "20500101000000Z"],
])("the time %s is of form %i, %s", (at, tag, text) => {
  const [read] = readDer(time(Date.parse(at)));
  expect(read).toMatchObject({ tag, content: Buffer.from(text) });
});

describe("readDer", () => {
  it("reads consecutive elements with short and long lengths", () => {
    const long = octetString(Buffer.alloc(300, 7));
    const list = sequence(integer(bytes("05")), long);
    const read = readDer(Buffer.concat([list, boolean(true)]));
    expect(read.map(({ tag }) => tag)).toEqual([0x30, 0x01]);
    expect(read[0]?.whole.equals(list)).toBe(true);
    const [number, text, ...more] = childrenOf(read[0]);
    expect([number?.content, text?.content.length, text?.whole.equals(long), more]).toEqual([
      bytes("05"),
      300,
      true,
      [],
    ]);
    expect(childrenOf(undefined)).toEqual([]);
  });

  /** @see Go's encoding/asn1 parseTagAndLength */
  it.each([
    ["a tag alone", "30", "truncated element"],
    ["less content than its length", "300202", "data truncated"],
    ["a truncated length", "3082", "data truncated"],
    ["half of the length", "308201", "data truncated"],
    ["a length that no buffer has", `3085${"01".repeat(5)}`, "length too large"],
    ["a length of four bytes, and nothing", "3084ffffffff", "data truncated"],
    ["no length, but an end", "30800000", "indefinite length found (not DER)"],
    ["a long form for a short length", `30817f${"00".repeat(127)}`, "non-minimal length"],
    ["a length that begins with nothing", `30820080${"00".repeat(128)}`, "superfluous leading zeros in length"],
  ])("rejects %s", (_, text, why) => {
    expect(() => readDer(bytes(text))).toThrow(why);
  });
});

it.each([
  [
    "the first block of its type",
    "-----BEGIN A-----\nAQI=\n-----END A-----\n-----BEGIN A-----\nAw==\n-----END A-----",
    "0102",
  ],
  ["past one of another", "-----BEGIN B-----\nAw==\n-----END B-----\n-----BEGIN A-----\nAQI=\n-----END A-----", "0102"],
  ["no block of its type", "-----BEGIN B-----\nAw==\n-----END B-----", undefined],
  ["no block that ends", "-----BEGIN A-----\nAw==\n", undefined],
])("pemBody reads %s", (_, pem, want) => {
  expect(pemBody(pem, "A")?.toString("hex")).toBe(want);
});
