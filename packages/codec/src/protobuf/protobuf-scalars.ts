import { parseGoDuration } from "@kubewright/apimachinery";
import type { ScalarName } from "../schema/type-schema.ts";
import type { ProtobufWriter } from "./protobuf-writer.ts";

/** Writes a value, preceded by its length if it is length-delimited. An absent value is written as the type's zero value. */
export type WriteValue = (out: ProtobufWriter, value: unknown) => void;

interface ScalarEncoding {
  /** Wire type: 0 for a varint, 1 for eight bytes, 2 for length-delimited content. */
  readonly wireType: 0 | 1 | 2;
  readonly write: WriteValue;
}

const varintTag = (number: number): number => number << 3;
const delimitedTag = (number: number): number => (number << 3) | 2;

const integer: ScalarEncoding = {
  wireType: 0,
  write(out, value) {
    out.integer(typeof value === "number" || typeof value === "bigint" ? value : 0);
  },
};

const text: ScalarEncoding = { wireType: 2, write: writeText };

function writeText(out: ProtobufWriter, value: unknown): void {
  if (typeof value !== "string" || value === "") {
    out.varint(0);
    return;
  }
  const before = out.length;
  out.text(value);
  out.varint(out.length - before);
}

const timestamp: ScalarEncoding = {
  wireType: 2,
  write(out, value) {
    const before = out.length;
    if (typeof value === "string") writeTimestamp(out, value);
    out.varint(out.length - before);
  },
};

/** Writes a time. Seconds and nanoseconds are always written, even if they are zero, but the zero time is an empty message. */
function writeTimestamp(out: ProtobufWriter, value: string): void {
  const milliseconds = Date.parse(value);
  if (Number.isNaN(milliseconds)) return;
  out.integer(nanosOf(value));
  out.varint(varintTag(2));
  out.integer(Math.floor(milliseconds / 1_000));
  out.varint(varintTag(1));
}

/** Returns the nanoseconds of a time. Only times with microseconds have a fraction; all others are printed without one. */
function nanosOf(value: string): number {
  const fraction = /\.(\d+)/.exec(value)?.[1];
  return fraction === undefined ? 0 : Number(fraction.padEnd(6, "0").slice(0, 6)) * 1_000;
}

/**
 * The encoding of each scalar type.
 *
 * @see gogo/protobuf, and the hand-written parts of apimachinery (quantity_proto.go, time_proto.go)
 */
export const scalarEncodings: Readonly<Record<ScalarName, ScalarEncoding>> = {
  string: text,
  int32: integer,
  int64: integer,
  uint8: integer,
  bool: {
    wireType: 0,
    write(out, value) {
      out.varint(value === true ? 1 : 0);
    },
  },
  double: {
    wireType: 1,
    write(out, value) {
      out.double(Number(value ?? 0));
    },
  },
  bytes: {
    wireType: 2,
    write(out, value) {
      const content = Buffer.from(typeof value === "string" ? value : "", "base64");
      out.bytes(content);
      out.varint(content.length);
    },
  },
  Time: timestamp,
  MicroTime: timestamp,
  Duration: {
    wireType: 2,
    write(out, value) {
      const before = out.length;
      out.integer(parseGoDuration(String(value ?? "")) ?? 0n);
      out.varint(varintTag(1));
      out.varint(out.length - before);
    },
  },
  Quantity: {
    wireType: 2,
    write(out, value) {
      const before = out.length;
      writeText(out, String(value ?? "0"));
      out.varint(delimitedTag(1));
      out.varint(out.length - before);
    },
  },
  IntOrString: {
    wireType: 2,
    write(out, value) {
      const isText = typeof value === "string";
      const before = out.length;
      writeText(out, isText ? value : "");
      out.varint(delimitedTag(3));
      integer.write(out, isText ? 0 : value);
      out.varint(varintTag(2));
      out.varint(isText ? 1 : 0);
      out.varint(varintTag(1));
      out.varint(out.length - before);
    },
  },
};
