/** Writes the fields of a protobuf message. As in proto3, scalars with the value zero are omitted. */
export class MessageWriter {
  readonly #parts: Buffer[] = [];

  string(field: number, text: string): void {
    if (text !== "") this.bytes(field, Buffer.from(text));
  }

  bool(field: number, value: boolean, always = false): void {
    if (value || always) this.#parts.push(varint(field * 8), varint(value ? 1 : 0));
  }

  int64(field: number, value: number): void {
    if (value !== 0) this.#parts.push(varint(field * 8), varint(BigInt.asUintN(64, BigInt(Math.trunc(value)))));
  }

  double(field: number, value: number, always = false): void {
    if (value === 0 && !always) return;
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    this.#parts.push(varint(field * 8 + 1), bytes);
  }

  /** Writes bytes, a nested message, or a string that is written even if it is empty. */
  bytes(field: number, content: Buffer): void {
    this.#parts.push(varint(field * 8 + 2), varint(content.length), content);
  }

  finish(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

/** Buffers for all values of one byte, because most tags and lengths have only one byte. */
const oneByte: readonly Buffer[] = Array.from({ length: 0x80 }, (_, value) => Buffer.from([value]));

function varint(value: number | bigint): Buffer {
  const known = typeof value === "number" ? oneByte[value] : undefined;
  if (known) return known;
  const bytes: number[] = [];
  if (typeof value === "number") {
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
    bytes.push(rest);
  } else {
    let rest = value;
    for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    bytes.push(Number(rest));
  }
  return Buffer.from(bytes);
}
