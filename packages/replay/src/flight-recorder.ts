import { approximateSizeOf } from "@kubewright/lazy-json";
import { type BegunCall, CallRecording } from "./call-recording.ts";
import { RecordingWriter } from "./recording-writer.ts";

/** Options for a {@link FlightRecorder}. */
export interface FlightRecorderOptions {
  /** Approximate maximum size of the recorded reconciles in memory, in bytes. Older reconciles are dropped. Default 4 MiB. */
  readonly maxBytes?: number | undefined;
  /**
   * Fields whose values are replaced by HMACs in saved recordings, in addition to the data of Secrets: paths such as `spec.password` or
   * `spec.users.*.token`, in which `*` matches each list item and each field. Default: none.
   */
  readonly redact?: readonly string[] | undefined;
  /** Name of the program. Default: empty. */
  readonly name?: string | undefined;
  /** Called when a reconcile fails because of a programming error, after the reconcile was recorded. Must not throw. Default: nothing. */
  readonly onPanic?: (() => void) | undefined;
}

const defaultBytes = 4 << 20;
const leastBytes = 64 << 10;

/**
 * Records a program's most recent reconciles in memory: request, causes, times, each read and write with its result,
 * and the outcome. Recordings in memory may contain secrets; in the result of {@link dump}, the data in Secrets is
 * replaced by HMACs.
 *
 * Implements `ReconcileRecorder` from `@kubewright/controller`.
 */
export class FlightRecorder {
  readonly maxBytes: number;
  readonly #options: FlightRecorderOptions;
  readonly #retained = new Map<object, { readonly bytes: number; count: number }>();
  #ended: CallRecording[] = [];
  /** Index of the oldest recording in {@link #ended}. Recordings before it were dropped. */
  #first = 0;
  #bytes = 0;
  #number = 0;

  /** @throws {RangeError} if `maxBytes` is less than 64 KiB, or a path in `redact` is empty */
  constructor(options: FlightRecorderOptions = {}) {
    const { maxBytes = defaultBytes } = options;
    if (!(maxBytes >= leastBytes))
      throw new RangeError(`recorder: maxBytes must be at least ${leastBytes} (64 KiB), got ${maxBytes}`);
    this.maxBytes = maxBytes;
    this.#options = options;
    new RecordingWriter(options); // checks the paths
  }

  /** Approximate size of the recorded reconciles, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Recorded reconciles, oldest first. */
  get recorded(): readonly CallRecording[] {
    return this.#ended.slice(this.#first);
  }

  /** Begins to record a reconcile. */
  begin(call: BegunCall): CallRecording {
    return new CallRecording(this, call, ++this.#number);
  }

  /**
   * Returns the recorded reconciles as the contents of a file, and keeps them in memory.
   *
   * @param atMs current time, in milliseconds since the epoch
   */
  dump(atMs: number): Buffer {
    return new RecordingWriter(this.#options).write(this.recorded, atMs);
  }

  /** Removes the recorded reconciles and returns them, to be saved by a {@link RecordingWriter}. */
  take(): readonly CallRecording[] {
    const taken = this.recorded;
    while (this.#first < this.#ended.length) this.#dropOldest();
    this.#ended = [];
    this.#first = 0;
    return taken;
  }

  // The members below are called by recordings.

  /** Maximum size of one recording, in bytes. */
  get maxCallBytes(): number {
    return this.maxBytes / 2;
  }

  retain(object: object): number {
    const known = this.#retained.get(object);
    if (known) {
      known.count++;
      return 0;
    }
    const bytes = approximateSizeOf(object);
    this.#retained.set(object, { bytes, count: 1 });
    this.#bytes += bytes;
    return bytes;
  }

  release(objects: readonly object[]): void {
    for (const object of objects) {
      const known = this.#retained.get(object);
      if (!known || --known.count > 0) continue;
      this.#retained.delete(object);
      this.#bytes -= known.bytes;
    }
  }

  ended(recording: CallRecording, isPanic: boolean): void {
    this.#ended.push(recording);
    this.#bytes += recording.bytes;
    while (this.#bytes > this.maxBytes && this.#first < this.#ended.length) this.#dropOldest();
    if (isPanic) this.#options.onPanic?.();
  }

  #dropOldest(): void {
    const oldest = this.#ended[this.#first];
    if (!oldest) return;
    this.#bytes -= oldest.bytes;
    oldest.release();
    this.#first++;
    if (this.#first < 1_000 || this.#first < this.#ended.length / 2) return;
    this.#ended = this.#ended.slice(this.#first);
    this.#first = 0;
  }
}
