import { crc32 } from "node:zlib";
import { parseJson, stringifyJson } from "@kubewright/apimachinery";
import type { LoggedChange } from "../change-log.ts";

/** One line of a journal or snapshot. */
export type JournalRecord =
  | LoggedChange
  /** Last line of a complete snapshot: the version it shows, and how many objects it holds. */
  | { readonly type: "end"; readonly resourceVersion: number; readonly count: number };

/** A record as a line: a checksum over the JSON, the JSON, a line feed. */
export function encodeRecord(record: JournalRecord): Buffer {
  const json = Buffer.from(stringifyJson(record));
  return Buffer.concat([Buffer.from(`${checksum(json)} `), json, lineFeed]);
}

/** The record in a line without its line feed; `undefined` where the line is damaged. */
export function decodeRecord(line: Buffer): JournalRecord | undefined {
  if (line.length < 10 || line[8] !== space) return undefined;
  const json = line.subarray(9);
  if (line.toString("latin1", 0, 8) !== checksum(json)) return undefined;
  return parseJson(json.toString("utf8")) as JournalRecord;
}

const space = 0x20;
const lineFeed = Buffer.from("\n");
const checksum = (bytes: Buffer): string => crc32(bytes).toString(16).padStart(8, "0");
