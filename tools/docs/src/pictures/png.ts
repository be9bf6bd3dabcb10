import { crc32, deflateSync, inflateSync } from "node:zlib";

const signatureBytes = 8;

/** Recompresses a picture at zlib's highest level and drops its metadata. @throws {Error} if it is not a PNG */
export function packed(png: Buffer): Buffer {
  if (png.toString("latin1", 1, 4) !== "PNG") throw new Error("not a PNG");
  const pixels: Buffer[] = [];
  const kept: Buffer[] = [];
  for (let at = signatureBytes; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    const whole = png.subarray(at, at + length + 12);
    if (type === "IDAT") pixels.push(png.subarray(at + 8, at + 8 + length));
    else if (type === "IHDR" || type === "PLTE" || type === "tRNS") kept.push(whole);
    at += length + 12;
  }
  const tight = deflateSync(inflateSync(Buffer.concat(pixels)), { level: 9, memLevel: 9 });
  return Buffer.concat([
    png.subarray(0, signatureBytes),
    ...kept,
    chunk("IDAT", tight),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [data.length, crc32(body)].map((number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(number);
    return bytes;
  });
  return Buffer.concat([length ?? Buffer.alloc(0), body, sum ?? Buffer.alloc(0)]);
}
