import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { isRecord, stringifyJson } from "@kubewright/apimachinery";
import { systemRandom } from "@kubewright/clock";
import type { CallRecording, ListSnapshot, MemoryStep, Snapshot } from "./call-recording.ts";
import { formatNumber, type HeaderLine, type StepRecord } from "./format.ts";
import { recordedKind } from "./recorded-steps.ts";
import { type RedactedObject, Redaction } from "./redaction.ts";

/** Number of written objects that are remembered, so that each is written once. */
const maxWritten = 200_000;
const hashLength = 22;

/** Options for a {@link RecordingWriter}. */
export interface RecordingWriterOptions {
  /** Fields to redact; see `FlightRecorderOptions.redact`. */
  readonly redact?: readonly string[] | undefined;
  /** Name of the program. */
  readonly name?: string | undefined;
}

/**
 * Converts recorded reconciles to the contents of a file. Secrets are replaced by HMACs, whose random key exists only
 * in this writer. Each call's output can be appended to that of earlier calls, and does not repeat objects that they
 * contain.
 */
export class RecordingWriter {
  readonly #name: string;
  readonly #redaction: Redaction;
  readonly #written = new Set<string>();
  #hasHeader = false;

  /** @throws {RangeError} if a path in `redact` is not valid */
  constructor({ redact, name = "" }: RecordingWriterOptions = {}) {
    this.#name = name;
    this.#redaction = new Redaction(systemRandom.bytes(32), redact);
  }

  /** Returns gzipped lines. The first call's lines begin with a header. @param atMs current time, in milliseconds since the epoch */
  write(recordings: readonly CallRecording[], atMs: number): Buffer {
    const header: HeaderLine = { kubewright: "recording", format: formatNumber, name: this.#name, atMs };
    const lines = this.#hasHeader ? [] : [JSON.stringify(header)];
    this.#hasHeader = true;
    const values = new Map<Snapshot, string>();
    // All secrets must be known before the first line is written, because one reconcile may contain a copy of another's.
    for (const { steps } of recordings)
      for (const step of steps)
        for (const snapshot of snapshotsIn(step))
          if (!values.has(snapshot)) {
            const json = typeof snapshot === "string" ? snapshot : stringifyJson(snapshot);
            values.set(snapshot, this.#redaction.object(json, aboutObject(step)));
          }
    const hashes = new Map<Snapshot, string>();
    const hashOfSnapshot = (snapshot: Snapshot): string => {
      const known = hashes.get(snapshot);
      if (known !== undefined) return known;
      const json = this.#redaction.copies(values.get(snapshot) ?? "null");
      const hash = hashOf(json);
      hashes.set(snapshot, hash);
      if (this.#isNew(hash)) lines.push(`{"object":"${hash}","value":${json}}`);
      return hash;
    };
    const hashOfList = ({ items, metadata }: ListSnapshot): string => {
      const json = JSON.stringify({ items: items.map(hashOfSnapshot), metadata });
      const hash = hashOf(`list ${json}`);
      if (this.#isNew(hash)) lines.push(`{"list":"${hash}",${json.slice(1)}`);
      return hash;
    };
    for (const { outcome, steps } of recordings) {
      if (!outcome) continue;
      const written = steps.map((step) => stepLine(step, hashOfSnapshot, hashOfList));
      lines.push(
        this.#redaction.copies(stringifyJson({ ...outcome, request: plain(outcome.request), steps: written })),
      );
    }
    return gzipSync(lines.map((line) => `${line}\n`).join(""));
  }

  /** Reports whether an object has not been written yet. */
  #isNew(hash: string): boolean {
    if (this.#written.has(hash)) return false;
    if (this.#written.size >= maxWritten) this.#written.clear();
    this.#written.add(hash);
    return true;
  }
}

function snapshotsIn({ body, answer, list }: MemoryStep): readonly Snapshot[] {
  return [...(body === undefined ? [] : [body]), ...(answer === undefined ? [] : [answer]), ...(list?.items ?? [])];
}

function aboutObject({ kind, subResource }: MemoryStep): RedactedObject {
  return { isSecret: kind?.kind === "Secret", isToken: kind?.kind === "ServiceAccount" && subResource === "token" };
}

function stepLine(
  step: MemoryStep,
  hashOfSnapshot: (snapshot: Snapshot) => string,
  hashOfList: (list: ListSnapshot) => string,
): StepRecord {
  const { verb, kind, subResource, key, options, name, body, answer, list, value, error, start, end } = step;
  const isFrozen = [answer, ...(list?.items ?? [])].some((snapshot) => typeof snapshot === "object");
  const answered = list ? hashOfList(list) : answer === undefined ? undefined : hashOfSnapshot(answer);
  return {
    verb,
    ...(kind ? recordedKind(kind) : {}),
    ...{ subResource, key, options, name },
    body: body === undefined ? undefined : hashOfSnapshot(body),
    answer: answered,
    isFrozen: isFrozen || undefined,
    value: value === undefined ? undefined : (JSON.parse(value) as unknown),
    error,
    at: end === undefined ? [start] : [start, end],
  };
}

const hashOf = (json: string): string => createHash("sha256").update(json).digest("base64url").slice(0, hashLength);

/** Returns a request that is JSON. */
function plain(request: unknown): unknown {
  if (typeof request === "string" || isRecord(request)) return request;
  return typeof request === "number" ? request : String(request);
}
