import { expect, it } from "vitest";
import { ProtobufWriter } from "./protobuf-writer.ts";

const written = (write: (out: ProtobufWriter) => void): string => {
  const out = new ProtobufWriter();
  write(out);
  return out.finish().toString("hex");
};

it.each([
  [0, "00"],
  [1, "01"],
  [127, "7f"],
  [128, "8001"],
  [300, "ac02"],
  [16_383, "ff7f"],
  [16_384, "808001"],
  [2 ** 32, "8080808010"],
  [2 ** 53 - 1, "ffffffffffffff0f"],
])("writes the varint %d", (value, hex) => {
  expect(written((out) => out.varint(value))).toBe(hex);
  expect(written((out) => out.integer(value))).toBe(hex);
  expect(written((out) => out.integer(BigInt(value)))).toBe(hex);
});

it.each<readonly [value: number | bigint, hex: string]>([
  [-1, "ffffffffffffffffff01"],
  [-128, "80ffffffffffffffff01"],
  [-(2n ** 63n), "80808080808080808001"],
  [2n ** 63n - 1n, "ffffffffffffffff7f"],
])("writes the integer %d", (value, hex) => {
  expect(written((out) => out.integer(value))).toBe(hex);
});

it("writes from the end to the start", () => {
  expect(
    written((out) => {
      out.double(1.5);
      out.bytes(Buffer.from([1, 2]));
      out.text("ab");
      out.varint(5);
    }),
  ).toBe("05" + "6162" + "0102" + "000000000000f83f");
});

it.each(["", "a", "é", "a".repeat(64), "a".repeat(65), `${"a".repeat(63)}é`, "\x7f", "\x80", "中\u{1f600}"])(
  "writes the text %j as UTF-8",
  (text) => {
    expect(written((out) => out.text(text))).toBe(Buffer.from(text).toString("hex"));
  },
);

it("knows its length, grows as needed, and is used again", () => {
  const out = new ProtobufWriter();
  const large = Buffer.alloc(100_000, 7);
  for (const pieces of [1, 30]) {
    for (let i = 0; i < pieces; i++) {
      out.varint(i);
      out.bytes(large);
    }
    expect(out.length).toBe(pieces * 100_001);
    const message = out.finish();
    expect(message).toHaveLength(pieces * 100_001);
    expect([message[0], message[99_999], message.at(-1), message.at(-2)]).toEqual([7, 7, 0, 7]);
    expect(out.length).toBe(0);
  }
  out.text("x".repeat(70_000));
  out.clear();
  out.varint(1);
  expect(out.finish().toString("hex")).toBe("01");
});

it.each([1, 2, 8, 9, 10, 63, 64])("loses nothing where %i bytes are left", (left) => {
  const fill = 64 * 1024 - left;
  const writes: readonly ((out: ProtobufWriter) => void)[] = [
    (out) => out.varint(2 ** 53 - 1),
    (out) => out.integer(-1),
    (out) => out.double(1.5),
    (out) => out.text("a".repeat(64)),
    (out) => out.text("é".repeat(50)),
    (out) => out.bytes(Buffer.alloc(64, 3)),
  ];
  for (const write of writes) {
    const expected = written(write) + "00".repeat(fill);
    expect(
      written((out) => {
        out.bytes(Buffer.alloc(fill));
        write(out);
      }),
    ).toBe(expected);
  }
});
