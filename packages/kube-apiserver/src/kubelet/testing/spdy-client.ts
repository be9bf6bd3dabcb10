import { once } from "node:events";
import type { Duplex } from "node:stream";
import { constants, createDeflate, createInflate } from "node:zlib";
import { headerDictionary } from "../spdy-headers.ts";

export interface ReceivedFrame {
  readonly type: "data" | "reply" | "reset" | "ping" | "goAway";
  /** Number of the stream or of the ping. */
  readonly id: number;
  readonly isLast: boolean;
  readonly data: Buffer;
}

const names = new Map([
  [2, "reply"],
  [3, "reset"],
  [6, "ping"],
  [7, "goAway"],
] as const);

export function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}

export const controlFrame = (type: number, payload: Buffer, flags = 0): Buffer =>
  Buffer.concat([uint32(0x80030000 + type, flags * 0x1000000 + payload.length), payload]);

/** Encodes headers without compressing them. */
export const headerBlock = (headers: Readonly<Record<string, string>>): Buffer =>
  Buffer.concat([
    uint32(Object.keys(headers).length),
    ...Object.entries(headers).flatMap(([name, value]) => [
      ...[uint32(name.length), Buffer.from(name), uint32(value.length), Buffer.from(value)],
    ]),
  ]);

/** A SPDY client like kubectl's that records the frames that it receives. */
export class SpdyClient {
  readonly frames: ReceivedFrame[] = [];
  readonly #connection: Duplex;
  readonly #deflate = createDeflate({ dictionary: headerDictionary, flush: constants.Z_SYNC_FLUSH });
  /** Decompresses the server's headers; an error fails the test. */
  readonly #inflate = createInflate({ dictionary: headerDictionary, flush: constants.Z_SYNC_FLUSH });
  #rest: Buffer = Buffer.alloc(0);
  #nextId = 1;
  #changed = Promise.withResolvers<void>();
  isClosed = false;

  constructor(connection: Duplex) {
    this.#connection = connection;
    connection.on("data", (chunk: Buffer) => this.#take(chunk));
    connection.on("error", () => {});
    connection.on("close", () => {
      this.isClosed = true;
      this.#changed.resolve();
    });
    this.#inflate.resume();
  }

  /** Opens a stream. @returns its number */
  async open(headers: Readonly<Record<string, string>>, flags = 0, id = this.#nextId): Promise<number> {
    this.#nextId = id + 2;
    const compressed = await this.compress(headerBlock(headers));
    this.send(controlFrame(1, Buffer.concat([uint32(id, 0), Buffer.alloc(2), compressed]), flags));
    return id;
  }

  async compress(block: Buffer): Promise<Buffer> {
    const pieces: Buffer[] = [];
    const take = (piece: Buffer): number => pieces.push(piece);
    this.#deflate.on("data", take);
    await new Promise<void>((resolve) => this.#deflate.write(block, () => resolve()));
    this.#deflate.off("data", take);
    return Buffer.concat(pieces);
  }

  write(id: number, data: string | Buffer, isLast = false): void {
    const bytes = Buffer.from(data);
    this.send(Buffer.concat([uint32(id, (isLast ? 0x1000000 : 0) + bytes.length), bytes]));
  }

  send(bytes: Buffer): void {
    if (!this.#connection.destroyed) this.#connection.write(bytes);
  }

  /** Waits until a frame has arrived. @throws {Error} if the connection is closed first */
  async received(is: (frame: ReceivedFrame) => boolean): Promise<ReceivedFrame> {
    for (;;) {
      const found = this.frames.find(is);
      if (found) return found;
      if (this.isClosed) throw new Error("the connection was closed before the frame arrived");
      await this.#changed.promise;
    }
  }

  /** Waits for the end of a stream, and returns everything that the server has written on it. */
  async text(id: number): Promise<string> {
    await this.received((frame) => frame.id === id && (frame.isLast || frame.type === "reset"));
    const data = this.frames.filter((frame) => frame.type === "data" && frame.id === id);
    return Buffer.concat(data.map((frame) => frame.data)).toString();
  }

  async close(): Promise<void> {
    this.#connection.destroy();
    if (!this.isClosed) await once(this.#connection, "close");
  }

  #take(chunk: Buffer): void {
    let input = Buffer.concat([this.#rest, chunk]);
    while (input.length >= 8) {
      const [first, flagsAndLength] = [input.readUInt32BE(0), input.readUInt32BE(4)];
      const end = 8 + (flagsAndLength & 0xffffff);
      if (input.length < end) break;
      const payload = input.subarray(8, end);
      const isLast = flagsAndLength >>> 24 === 1;
      const type = first >>> 31 === 0 ? "data" : names.get((first & 0xffff) as 2);
      if (!type) throw new Error(`unexpected frame ${first.toString(16)}`);
      if (type === "reply") this.#inflate.write(payload.subarray(4));
      this.frames.push({ type, id: type === "data" ? first : payload.readUInt32BE(0), isLast, data: payload });
      input = input.subarray(end);
    }
    this.#rest = input;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
