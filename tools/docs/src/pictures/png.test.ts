import { crc32, deflateSync, inflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { packed } from "./png.ts";

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type), data]);
  return Buffer.concat([number(data.length), body, number(crc32(body))]);
};

it("keeps the pixels of a picture, smaller and in one chunk", () => {
  const pixels = Buffer.from("0 a row of pixels".repeat(500));
  const loose = deflateSync(pixels, { level: 0 });
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const head = chunk("IHDR", Buffer.alloc(13));
  const parts = [
    chunk("tEXt", Buffer.from("by whom")),
    chunk("IDAT", loose.subarray(0, 900)),
    chunk("IDAT", loose.subarray(900)),
  ];
  const png = Buffer.concat([signature, head, ...parts, chunk("IEND", Buffer.alloc(0))]);
  const tight = packed(png);
  expect(tight.length).toBeLessThan(300);
  const [at, end] = [tight.indexOf("IDAT") + 4, tight.indexOf("IEND") - 8];
  expect(inflateSync(tight.subarray(at, end)).equals(pixels)).toBe(true);
  expect(tight.subarray(0, signature.length + head.length)).toEqual(png.subarray(0, signature.length + head.length));
  expect(tight.readUInt32BE(end)).toBe(crc32(tight.subarray(at - 4, end)));
  expect(() => packed(Buffer.from("GIF89a..."))).toThrow("not a PNG");
});
