import type { ByteLease } from "./byte-budget.ts";
import type { HttpCall } from "./endpoint.ts";
import { nestsDeeperThan } from "./json-depth.ts";

/** A request that is refused for what its body is. */
export class BodyError extends Error {
  override readonly name = "BodyError";
  readonly code: 400 | 408 | 413 | 429;
  /** Some of the body has not been read. */
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

/** Objects of Kubernetes nest some twenty levels; code that walks an object takes a frame for each. */
const mostLevels = 500;
/** What a call costs besides its body. */
const overheadBytes = 16 * 1024;

/**
 * The text of a JSON body. No more than `maxBytes` of it are read, and no more than the lease allows.
 *
 * @throws {BodyError}
 */
export async function readJsonBody(call: HttpCall, maxBytes: number, lease: ByteLease): Promise<string> {
  const body = await readBody(call, maxBytes, lease);
  const contentType = call.headers["content-type"] ?? "";
  if (body.length === 0) throw new BodyError(400, "request body is empty");
  if (contentType !== "application/json")
    throw new BodyError(400, `contentType=${String(contentType)}, expected application/json`);
  if (nestsDeeperThan(body, mostLevels))
    throw new BodyError(400, `request body nests deeper than ${mostLevels} levels, which no object needs`);
  return body.toString("utf8");
}

async function readBody(call: HttpCall, maxBytes: number, lease: ByteLease): Promise<Buffer> {
  const tooLarge = (): BodyError =>
    new BodyError(413, `request entity is too large; limit is ${maxBytes} bytes`, { isUnread: true });
  const tooMany = (): BodyError =>
    new BodyError(429, "too many requests are being served; try again", { isUnread: true });
  if (!lease.grow(overheadBytes)) throw tooMany();
  if (Number(call.headers["content-length"] ?? 0) > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of untilAborted(call)) {
    length += chunk.byteLength;
    if (length > maxBytes) throw tooLarge();
    if (!lease.grow(chunk.byteLength)) throw tooMany();
    chunks.push(chunk);
  }
  const [only] = chunks;
  if (only && chunks.length === 1) return Buffer.from(only.buffer, only.byteOffset, only.byteLength);
  return Buffer.concat(chunks, length);
}

/** The chunks, for as long as somebody waits for the answer. */
async function* untilAborted({ body, signal }: HttpCall): AsyncGenerator<Uint8Array> {
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => {});
  const onAbort = (): void =>
    aborted.reject(
      new BodyError(408, "the request body did not arrive in time", { cause: signal.reason, isUnread: true }),
    );
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const chunks = body[Symbol.asyncIterator]();
  try {
    while (true) {
      const { done, value } = await Promise.race([chunks.next(), aborted.promise]);
      if (done) return;
      yield value;
    }
  } catch (error) {
    if (error instanceof BodyError) throw error;
    throw new BodyError(400, `unable to read the request body: ${String(error)}`, { cause: error, isUnread: true });
  } finally {
    signal.removeEventListener("abort", onAbort);
    // one that waits for the next chunk may wait for long
    void Promise.resolve(chunks.return?.()).catch(() => {});
  }
}
