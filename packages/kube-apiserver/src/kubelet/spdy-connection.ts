import { Duplex } from "node:stream";
import type { Clock, Timer } from "@kubewright/clock";
import { HeaderReader, noHeaders, SpdyError, uint32 } from "./spdy-headers.ts";

export interface SpdyConnectionOptions {
  /** Connection to the client, after the upgrade. */
  readonly connection: Duplex;
  /** Data that has arrived together with the upgrade request. */
  readonly head: Buffer;
  readonly clock: Clock;
  /** Time in milliseconds after which a connection is closed if no frames other than pings arrive. */
  readonly idleMs: number;
  /** Maximum number of open streams. Further streams are refused. */
  readonly maxStreams: number;
  /** Called for each stream that the client opens. Returns false to refuse it. */
  readonly accept: (stream: SpdyStream) => boolean;
}

const frame = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  ping: 6,
  goAway: 7,
  headers: 8,
} as const;
const status = { protocolError: 1, refusedStream: 3, cancel: 5 } as const;
/** Beginning of every control frame. */
const controlVersion = 0x8003;
const fin = 1;
const frameHead = 8;
/** Maximum size of a control frame, which is large only if it contains many compressed headers. */
const maxControlBytes = 16 * 1_024;
/** Maximum size of a data frame to the client. */
const maxDataBytes = 32 * 1_024;
/** Maximum amount of received data that the streams' consumers have not read. Beyond it, nothing is read from the connection. */
const maxUnread = 1_024 * 1_024;
/** Maximum amount of data that may wait to be sent to a client that sends further frames. */
const maxUnsent = 1_024 * 1_024;
/** Time for which the client may still receive data after {@link SpdyConnection.close}. */
const closingMs = 5_000;

/**
 * The server's side of a SPDY/3.1 connection on which only the client opens streams. As in upstream, flow-control
 * windows are not used, because Kubernetes clients do not use them either. To slow down a client, the server stops
 * reading from the connection.
 *
 * @see moby/spdystream Connection, SPDY Protocol, Draft 3.1
 */
export class SpdyConnection {
  readonly #options: SpdyConnectionOptions;
  readonly #streams = new Map<number, SpdyStream>();
  readonly #headers = new HeaderReader();
  readonly #waiting = new Set<() => void>();
  readonly #closed = Promise.withResolvers<void>();
  #rest: Buffer = Buffer.alloc(0);
  /** Part of a data frame that has not arrived yet. */
  #data: { readonly id: number; readonly isLast: boolean; left: number } | undefined;
  #lastId = 0;
  #hasReplied = false;
  #isClosing = false;
  #isClosed = false;
  #activeMs: number;
  #idle: Timer | undefined;

  constructor(options: SpdyConnectionOptions) {
    this.#options = options;
    this.#activeMs = options.clock.monotonic();
    const { connection } = options;
    connection.on("drain", () => this.#wake());
    connection.on("error", () => connection.destroy());
    connection.on("close", () => this.#end());
    this.#watch(options.idleMs);
    void this.#run().finally(() => connection.destroy());
  }

  /** Resolves when the connection has been closed by either side. Never rejects. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Resets all streams that have not ended, and closes the connection as soon as the client has received everything. */
  close(): void {
    if (this.#isClosing) return;
    const { connection, clock } = this.#options;
    for (const stream of this.#streams.values()) stream.destroy();
    this.#isClosing = true;
    this.#send(control(frame.goAway, Buffer.concat([uint32(this.#lastId), uint32(0)])));
    connection.end();
    const late = clock.after(closingMs, () => connection.destroy(), { unref: true });
    void this.closed.then(() => late.cancel());
  }

  async #run(): Promise<void> {
    const { connection, head } = this.#options;
    try {
      if (head.length > 0) await this.#take(head);
      for await (const chunk of connection) {
        await this.#take(chunk);
        await this.#until(() => this.#unread <= maxUnread && connection.writableLength <= maxUnsent);
      }
    } catch (error) {
      if (error instanceof SpdyError)
        this.#send(control(frame.goAway, Buffer.concat([uint32(this.#lastId), uint32(1)])));
    }
  }

  async #take(chunk: Buffer): Promise<void> {
    let input = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (;;) {
      if (this.#data) {
        input = this.#takeData(this.#data, input);
        if (this.#data) break;
      }
      if (input.length < frameHead) break;
      const [first, flagsAndLength] = [input.readUInt32BE(0), input.readUInt32BE(4)];
      const [flags, length] = [flagsAndLength >>> 24, flagsAndLength & 0xffffff];
      if (first >>> 31 === 0) {
        this.#data = { id: first, isLast: (flags & fin) !== 0, left: length };
        input = input.subarray(frameHead);
        continue;
      }
      if (first >>> 16 !== controlVersion) throw new SpdyError("unsupported SPDY version");
      if (length > maxControlBytes) throw new SpdyError(`control frame too large: ${length} bytes`);
      if (input.length < frameHead + length) break;
      await this.#control(first & 0xffff, flags, input.subarray(frameHead, frameHead + length));
      input = input.subarray(frameHead + length);
    }
    this.#rest = input;
  }

  #takeData(data: { readonly id: number; readonly isLast: boolean; left: number }, input: Buffer): Buffer {
    const piece = input.subarray(0, data.left);
    data.left -= piece.length;
    const stream = this.#streams.get(data.id);
    this.#activeMs = this.#options.clock.monotonic();
    if (piece.length > 0) stream?.received(Buffer.from(piece)); // a copy, because the rest of the chunk may be large
    if (data.left > 0) return input.subarray(piece.length);
    if (data.isLast) stream?.receivedEnd();
    this.#data = undefined;
    return input.subarray(piece.length);
  }

  async #control(type: number, flags: number, payload: Buffer): Promise<void> {
    if (type !== frame.ping) this.#activeMs = this.#options.clock.monotonic();
    switch (type) {
      case frame.synStream: {
        if (payload.length < 10) throw new SpdyError("frame is too short");
        const headers = await this.#headers.read(payload.subarray(10));
        return this.#open(payload.readUInt32BE(0) & 0x7fffffff, headers, (flags & fin) !== 0);
      }
      case frame.synReply:
      case frame.headers: {
        if (payload.length < 4) throw new SpdyError("frame is too short");
        await this.#headers.read(payload.subarray(4)); // keeps the compression context up to date
        if (flags & fin) this.#streams.get(payload.readUInt32BE(0) & 0x7fffffff)?.receivedEnd();
        return;
      }
      case frame.rstStream:
        if (payload.length !== 8) throw new SpdyError(`invalid frame size: ${payload.length} bytes`);
        this.#streams.get(payload.readUInt32BE(0) & 0x7fffffff)?.wasReset();
        return;
      case frame.ping:
        if (payload.length !== 4) throw new SpdyError(`invalid frame size: ${payload.length} bytes`);
        if (payload.readUInt32BE(0) % 2 === 1) this.#send(control(frame.ping, payload));
        return;
      default: // SETTINGS, WINDOW_UPDATE and GOAWAY require no action, nor do unknown frames
    }
  }

  #open(id: number, headers: ReadonlyMap<string, string>, isEnded: boolean): void {
    if (this.#isClosing) return;
    if (id % 2 === 0 || id <= this.#lastId) {
      this.#reset(id, status.protocolError);
      return;
    }
    this.#lastId = id;
    if (this.#streams.size >= this.#options.maxStreams) {
      this.#reset(id, status.refusedStream);
      return;
    }
    const stream = new SpdyStream(id, headers, {
      send: (data, isLast, done) => this.#sendData(id, data, isLast, done),
      reading: () => this.#wake(),
      closed: (isReset) => {
        this.#streams.delete(id);
        if (isReset) this.#reset(id, status.cancel);
        this.#wake();
      },
    });
    this.#streams.set(id, stream);
    if (!this.#options.accept(stream)) {
      stream.destroy();
      return;
    }
    this.#send(control(frame.synReply, Buffer.concat([uint32(id), noHeaders(!this.#hasReplied)])));
    this.#hasReplied = true;
    if (isEnded) stream.receivedEnd();
  }

  #reset(id: number, why: number): void {
    this.#send(control(frame.rstStream, Buffer.concat([uint32(id), uint32(why)])));
  }

  #sendData(id: number, data: Buffer, isLast: boolean, done: () => void): void {
    for (let start = 0; start < data.length || (start === 0 && isLast); start += maxDataBytes) {
      const piece = data.subarray(start, start + maxDataBytes);
      const flags = isLast && start + maxDataBytes >= data.length ? fin : 0;
      this.#send(Buffer.concat([uint32(id), uint32(((flags << 24) | piece.length) >>> 0), piece]));
    }
    this.#activeMs = this.#options.clock.monotonic();
    void this.#until(() => !this.#options.connection.writableNeedDrain).then(done);
  }

  #send(bytes: Buffer): void {
    const { connection } = this.#options;
    if (connection.writable) connection.write(bytes);
  }

  get #unread(): number {
    let bytes = 0;
    for (const { readableLength } of this.#streams.values()) bytes += readableLength;
    return bytes;
  }

  /**
   * Waits until a condition is true. The condition is checked whenever the connection has drained, a consumer has
   * read from a stream, or a stream has ended.
   */
  async #until(isTrue: () => boolean): Promise<void> {
    while (!this.#isClosed && !isTrue()) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  #watch(ms: number): void {
    const { clock, idleMs } = this.#options;
    this.#idle = clock.after(
      ms,
      () => {
        const left = this.#activeMs + idleMs - clock.monotonic();
        if (left > 0) this.#watch(left);
        else this.close();
      },
      { unref: true },
    );
  }

  #end(): void {
    this.#isClosed = true;
    this.#isClosing = true;
    this.#idle?.cancel();
    this.#headers.end();
    for (const stream of this.#streams.values()) stream.wasReset();
    this.#wake();
    this.#closed.resolve();
  }
}

interface StreamParts {
  send(data: Buffer, isLast: boolean, done: () => void): void;
  /** Called when the consumer needs more data. */
  reading(): void;
  /**
   * Called at the end of the stream. @param isReset true if the stream was destroyed early, so that the client must
   * receive a reset
   */
  closed(isReset: boolean): void;
}

/** A stream of a connection. If it is destroyed before both sides have ended it, it is reset. */
export class SpdyStream extends Duplex {
  readonly id: number;
  /** Headers with which the client opened the stream. Names are in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly #parts: StreamParts;
  #hasEnded = false;
  #hasSentEnd = false;
  #wasReset = false;

  constructor(id: number, headers: ReadonlyMap<string, string>, parts: StreamParts) {
    super();
    this.id = id;
    this.headers = headers;
    this.#parts = parts;
    this.on("error", () => {}); // the consumer of the stream observes its end
  }

  received(data: Buffer): void {
    if (!this.#hasEnded && !this.destroyed) this.push(data);
  }

  receivedEnd(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (!this.destroyed) this.push(null);
  }

  wasReset(): void {
    this.#wasReset = true;
    this.destroy();
  }

  override _read(): void {
    this.#parts.reading();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#parts.send(chunk, false, done);
  }

  override _final(done: () => void): void {
    this.#hasSentEnd = true;
    this.#parts.send(Buffer.alloc(0), true, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#parts.closed(!this.#wasReset && !(this.#hasEnded && this.#hasSentEnd));
    done(error);
  }
}

function control(type: number, payload: Buffer): Buffer {
  return Buffer.concat([uint32(controlVersion * 0x10000 + type), uint32(payload.length), payload]);
}
