import { describe, expect, it } from "vitest";
import { ProtobufError, wireFields } from "./protobuf-reader.ts";

const read = (...bytes: number[]) =>
  [...wireFields(Buffer.from(bytes))].map(({ number, wireType, varint, bytes: own }) => [
    number,
    wireType,
    varint,
    [...own],
  ]);
const ones = (count: number): number[] => Array.from({ length: count }, () => 0xff);

describe("the fields of a message", () => {
  it("have the order of the bytes, with values of each wire type", () => {
    const eight = [1, 2, 3, 4, 5, 6, 7, 8];
    expect(read(0x08, 0x96, 0x01, 0x11, ...eight, 0x1a, 2, 9, 8, 0x25, 1, 2, 3, 4, 0x2a, 0)).toEqual([
      [1, 0, 150n, []],
      [2, 1, 0n, eight],
      [3, 2, 0n, [9, 8]],
      [4, 5, 0n, [1, 2, 3, 4]],
      [5, 2, 0n, []],
    ]);
    expect(read()).toEqual([]);
  });

  it("have numbers of several bytes", () => {
    expect(read(0x80, 0x01, 0x7f)).toEqual([[16, 0, 127n, []]]);
  });

  it("contain integers of at most ten bytes", () => {
    expect(read(0x08, ...ones(9), 0x01)).toEqual([[1, 0, 2n ** 64n - 1n, []]]);
    expect(() => read(0x08, ...ones(9), 0x81, 0x00)).toThrow(new ProtobufError("unexpected EOF"));
    expect(() => read(0x08, ...ones(1000))).toThrow("unexpected EOF");
  });

  it.each([
    ["a varint that does not end", [0x08, 0x80], "unexpected EOF"],
    ["a tag that does not end", [0x80], "unexpected EOF"],
    ["fewer bytes than announced", [0x1a, 3, 1, 2], "unexpected EOF"],
    ["more bytes announced than there can be", [0x1a, ...ones(9), 0x01], "unexpected EOF"],
    ["seven of eight bytes", [0x11, 1, 2, 3, 4, 5, 6, 7], "unexpected EOF"],
    ["three of four bytes", [0x25, 1, 2, 3], "unexpected EOF"],
    ["the field 0", [0x00, 0x01], "illegal tag 0 (wire type 0)"],
    ["a group", [0x0b], "illegal wireType 3"],
    ["an unknown wire type", [0x0f], "illegal wireType 7"],
  ])("are rejected: %s", (_, bytes, message) => {
    expect(() => read(...bytes)).toThrow(new ProtobufError(message));
  });
});
