/** Opcodes of a WebSocket's frames. */
export const closing = 0x8;
export const ping = 0x9;
const text = 0x1;
const binary = 0x2;

const sevenBits = 125;
const sixteenBits = 126;
const sixtyFourBits = 127;

/** A message of one frame, as servers send it. */
export const messageOf = (payload: Buffer, isText: boolean): Buffer => frameOf(isText ? text : binary, payload);

export const pong = (payload: Buffer): Buffer => frameOf(0xa, payload);

/** The end, with code 1000: all is well. */
export const farewell = (): Buffer => frameOf(closing, Buffer.from([0x03, 0xe8]));

function frameOf(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const size = length <= sevenBits ? 0 : length <= 0xffff ? 2 : 8;
  const head = Buffer.alloc(2 + size);
  head[0] = 0x80 | opcode;
  head[1] = size === 0 ? length : size === 2 ? sixteenBits : sixtyFourBits;
  if (size === 2) head.writeUInt16BE(length, 2);
  if (size === 8) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

export interface ReadMessages {
  readonly messages: readonly { readonly opcode: number; readonly payload: Buffer }[];
  /** The beginning of a frame whose end has not come. */
  readonly rest: Buffer;
}

/** The frames that a client sent, unmasked. */
export function readMessages(bytes: Buffer): ReadMessages {
  const messages: { opcode: number; payload: Buffer }[] = [];
  let rest = bytes;
  for (;;) {
    const frame = readFrame(rest);
    if (!frame) return { messages, rest };
    messages.push(frame);
    rest = rest.subarray(frame.length);
  }
}

function readFrame(bytes: Buffer): { opcode: number; payload: Buffer; length: number } | undefined {
  const [first = 0, second = 0] = bytes;
  const short = second & 0x7f;
  const size = short === sixteenBits ? 2 : short === sixtyFourBits ? 8 : 0;
  const maskBytes = second & 0x80 ? 4 : 0;
  const start = 2 + size + maskBytes;
  if (bytes.length < start) return undefined;
  const payloadBytes = size === 2 ? bytes.readUInt16BE(2) : size === 8 ? Number(bytes.readBigUInt64BE(2)) : short;
  const length = start + payloadBytes;
  if (bytes.length < length) return undefined;
  const mask = bytes.subarray(2 + size, start);
  const payload = Buffer.from(bytes.subarray(start, length));
  if (maskBytes > 0) for (let at = 0; at < payload.length; at++) payload[at] = (payload[at] ?? 0) ^ (mask[at % 4] ?? 0);
  return { opcode: first & 0x0f, payload, length };
}
