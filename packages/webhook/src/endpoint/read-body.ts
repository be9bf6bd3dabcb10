import type { Clock } from "@kubewright/clock";
import type { ByteLease } from "./byte-limiter.ts";
import type { HttpCall } from "./endpoint.ts";
import { extentOf } from "./json-extent.ts";

/** Thrown for a request that is rejected because of its body. */
export class BodyError extends Error {
  override readonly name = "BodyError";
  readonly code: 400 | 408 | 413 | 429;
  /** True if part of the body has not been read. */
  readonly isUnread: boolean;

  constructor(
    code: 400 | 408 | 413 | 429,
    message: string,
    options: ErrorOptions & { readonly isUnread?: boolean } = {},
  ) {
    super(message, options);
    this.code = code;
    this.isUnread = options.isUnread ?? false;
  }
}

/** Maximum nesting. Kubernetes objects have about twenty levels; code that walks an object uses a stack frame for each. */
const maxLevels = 500;
/**
 * Maximum number of values, far above the number of values in a page of 500 objects to convert. Parsing that many
 * values takes a second.
 */
const maxValues = 1_500_000;
/** Memory of a value, in bytes. An empty list has only three bytes of text. */
const bytesPerValue = 32;
/** Memory that a call uses in addition to its body. */
const overheadBytes = 16 * 1024;
/**
 * Maximum number of chunks that may be smaller, on average, than {@link leastBytesPerChunk}. API servers send larger
 * chunks. Each chunk costs time and memory, so that a body in chunks of one byte would cost hundreds of times its size.
 */
const maxSmallChunks = 1_000;
const leastBytesPerChunk = 256;
/** Time in milliseconds without new data after which reading a body fails. API servers send a body without pauses. */
const stallMs = 2_000;
/** Time for reading chunks that arrived while the program was busy. */
const graceMs = 100;

interface Reading {
  readonly maxBytes: number;
  readonly lease: ByteLease;
  readonly clock: Clock;
}

/**
 * Returns the text of a JSON body. Reads at most `maxBytes`, and no more than the lease allows.
 *
 * @throws {BodyError} if the body is invalid, is too large or does not arrive in time, or if the server is overloaded
 */
export async function readJsonBody(call: HttpCall, reading: Reading): Promise<string> {
  const body = await readBody(call, reading);
  const { levels, values } = extentOf(body, { levels: maxLevels, values: maxValues });
  const isBounded = levels <= maxLevels && values <= maxValues;
  if (isBounded && !reading.lease.grow(Math.max(0, values * bytesPerValue - body.length))) throw tooMany(false);
  reading.lease.settle();
  const contentType = call.headers["content-type"] ?? "";
  if (body.length === 0) throw new BodyError(400, "request body is empty");
  if (contentType !== "application/json")
    throw new BodyError(400, `contentType=${String(contentType)}, expected application/json`);
  if (levels > maxLevels) throw new BodyError(400, `request body is nested more than ${maxLevels} levels deep`);
  if (values > maxValues) throw new BodyError(413, `request body has more than ${maxValues} values`);
  return body.toString("utf8");
}

const tooMany = (isUnread = true): BodyError =>
  new BodyError(429, "too many requests are being served; try again", { isUnread });

async function readBody(call: HttpCall, reading: Reading): Promise<Buffer> {
  const { maxBytes, lease } = reading;
  const tooLarge = (): BodyError =>
    new BodyError(413, `request entity is too large; limit is ${maxBytes} bytes`, { isUnread: true });
  if (!lease.grow(overheadBytes)) throw tooMany();
  if (Number(call.headers["content-length"] ?? 0) > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of whileArriving(call, reading)) {
    length += chunk.byteLength;
    if (length > maxBytes) throw tooLarge();
    if (!lease.grow(chunk.byteLength)) throw tooMany();
    chunks.push(chunk);
    if (chunks.length > maxSmallChunks && length < chunks.length * leastBytesPerChunk)
      throw new BodyError(400, "request body arrives in chunks that are too small", { isUnread: true });
  }
  if (lease.lost.aborted) throw tooMany();
  const [only] = chunks;
  if (only && chunks.length === 1) return Buffer.from(only.buffer, only.byteOffset, only.byteLength);
  return Buffer.concat(chunks, length);
}

/** Yields the chunks while they arrive, until the caller disconnects or the lease is lost. */
async function* whileArriving({ body, signal }: HttpCall, { lease, clock }: Reading): AsyncGenerator<Uint8Array> {
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  const late = (cause?: unknown): void =>
    ended.reject(new BodyError(408, "the request body did not arrive in time", { cause, isUnread: true }));
  const onAbort = (): void => late(signal.reason);
  const onLost = (): void => ended.reject(tooMany());
  signal.addEventListener("abort", onAbort, { once: true });
  lease.lost.addEventListener("abort", onLost, { once: true });
  if (signal.aborted) onAbort();
  const progress = watchProgress(clock, late);
  const chunks = body[Symbol.asyncIterator]();
  try {
    while (true) {
      const { done, value } = await Promise.race([chunks.next(), ended.promise]);
      if (done) return;
      if (value.byteLength > 0) progress.made();
      yield value;
    }
  } catch (error) {
    if (error instanceof BodyError) throw error;
    throw new BodyError(400, `unable to read the request body: ${String(error)}`, { cause: error, isUnread: true });
  } finally {
    progress.end();
    signal.removeEventListener("abort", onAbort);
    lease.lost.removeEventListener("abort", onLost);
    // a stream waiting for its next chunk may take long to return
    void Promise.resolve(chunks.return?.()).catch(() => {});
  }
}

/** Calls `onStall` if no progress has been made for {@link stallMs}, unless the program was too busy to notice. */
function watchProgress(clock: Clock, onStall: () => void): { made(): void; end(): void } {
  let madeMs = clock.monotonic();
  let isQuiet = false;
  const look = (): void => {
    const quietForMs = clock.monotonic() - madeMs;
    if (isQuiet && quietForMs >= stallMs) onStall();
    isQuiet = quietForMs >= stallMs / 2;
    const leftMs = (isQuiet ? stallMs : stallMs / 2) - quietForMs;
    timer = clock.after(Math.max(leftMs, graceMs), look, { unref: true });
  };
  let timer = clock.after(stallMs / 2, look, { unref: true });
  return {
    made: () => {
      madeMs = clock.monotonic();
      isQuiet = false;
    },
    end: () => timer.cancel(),
  };
}
