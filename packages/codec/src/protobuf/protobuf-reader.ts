/** Thrown if bytes are not a protobuf message. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
}

/** A field in a protobuf message, as encoded on the wire. */
export interface WireField {
  readonly number: number;
  /** Wire type: 0 for a varint, 1 for eight bytes, 2 for length-delimited content, 5 for four bytes. */
  readonly wireType: number;
  /** Value of the field if it is a varint. */
  readonly varint: bigint;
  /** Content of the field if it has another wire type. */
  readonly bytes: Buffer;
}

const none = Buffer.alloc(0);

/**
 * Yields the fields in a protobuf message, in the order in which they are encoded.
 *
 * @throws {ProtobufError} if the bytes are not a message
 */
export function* wireFields(message: Buffer): Generator<WireField> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++];
      if (byte === undefined || shift > 63n) throw new ProtobufError("unexpected EOF");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (length < 0 || at + length > message.length) throw new ProtobufError("unexpected EOF");
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const tag = varint();
    const number = Number(tag >> 3n);
    const wireType = Number(tag & 7n);
    if (number <= 0) throw new ProtobufError(`illegal tag ${number} (wire type ${wireType})`);
    if (wireType === 0) yield { number, wireType, varint: varint(), bytes: none };
    else if (wireType === 2) yield { number, wireType, varint: 0n, bytes: take(Number(varint())) };
    else if (wireType === 1 || wireType === 5)
      yield { number, wireType, varint: 0n, bytes: take(wireType === 1 ? 8 : 4) };
    else throw new ProtobufError(`illegal wireType ${wireType}`);
  }
}
