import { Readable } from "node:stream";
import { expect, it } from "vitest";
import type { RequestMessage } from "../../http/messages.ts";
import { readBody } from "./read-body.ts";

const limit = 3 * 1024 * 1024;
const tooLarge = { code: 413, message: `Request entity too large: limit is ${limit}` };

/** A request whose body arrives in chunks, without a declared length. */
function chunked(...bytes: readonly number[]): { readonly request: RequestMessage; readonly read: () => number } {
  let read = 0;
  async function* chunks() {
    for (const count of bytes) {
      read += count;
      yield Buffer.alloc(count);
    }
  }
  return {
    request: { headers: {}, rawHeaders: [], complete: false, [Symbol.asyncIterator]: chunks },
    read: () => read,
  };
}

it("reads a body of 3 MiB, and stops reading a longer one", async () => {
  expect((await readBody(chunked(limit - 1, 1).request)).length).toBe(limit);
  const longer = chunked(limit, 1, ...Array<number>(10).fill(1_000));
  await expect(readBody(longer.request)).rejects.toMatchObject(tooLarge);
  expect(longer.read()).toBe(limit + 1);
});

it("stops reading a body in very many small chunks", async () => {
  const sizes = (bytes: number, count: number) => chunked(...Array<number>(count).fill(bytes));
  expect((await readBody(sizes(1, 1_000).request)).length).toBe(1_000);
  expect((await readBody(sizes(256, 2_000).request)).length).toBe(512_000);
  const small = sizes(255, 2_000);
  await expect(readBody(small.request)).rejects.toMatchObject({ code: 400 });
  expect(small.read()).toBe(255 * 1_001);
});

it.each([
  [limit, limit],
  [limit + 1, tooLarge],
])("limits a body of %i bytes that arrives together with the head", async (bytes, expected) => {
  const stream = new Readable({ read() {}, highWaterMark: 2 * limit });
  stream.push(Buffer.alloc(bytes));
  stream.push(null);
  const headers = { "content-length": String(bytes) };
  const request: RequestMessage = Object.assign(stream, { headers, rawHeaders: [], complete: true });
  if (typeof expected === "number") expect((await readBody(request)).length).toBe(expected);
  else await expect(readBody(request)).rejects.toMatchObject(expected);
});
