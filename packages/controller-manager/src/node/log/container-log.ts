import { type Clock, rfc3339Micro } from "@kubewright/clock";

/** Selects part of a log. */
export interface LogQuery {
  /** True to follow the log until the container terminates. Default false. */
  readonly follow?: boolean | undefined;
  /** True to prefix each line with its time. Default false. */
  readonly timestamps?: boolean | undefined;
  /** Time of the earliest line to include, in milliseconds since 1970. Default: no limit. */
  readonly sinceMs?: number | undefined;
  /** Number of lines to include, counted from the end. Default: all. */
  readonly tailLines?: number | undefined;
  /** Maximum size of the output, in bytes. Default: no limit. */
  readonly limitBytes?: number | undefined;
}

/**
 * Output stream to which a line was written. `kubectl logs` shows the lines from both streams in their original order.
 */
export type OutputStream = "stdout" | "stderr";

/** A destination for a container's output. It accepts any data, in chunks of any size. */
export interface ContainerOutput {
  /** Writes a chunk of output. @param stream stream to which the container wrote. Default `stdout` */
  write(chunk: Uint8Array | string, stream?: OutputStream): void;
}

/** A line, or part of a long line. */
interface Entry {
  readonly text: Buffer;
  readonly timeMs: number;
  readonly beginsLine: boolean;
}

/** Maximum size of an entry. Longer lines are split. @see kubernetes CRI's partial lines */
const longestEntry = 16 * 1_024;
/** Approximate memory that an entry uses in addition to its text. */
const entryOverhead = 128;
/** Maximum number of chunks that hold an unfinished line. */
const maxPieces = 64;
const maxBytesAtOnce = 64 * 1_024;
const defaultMaxBytes = 1024 * 1024;
const newline = 0x0a;

/**
 * The output of one run of a container. Only the newest `maxBytes` (default 1 MiB, including the overhead per line) are
 * stored, so memory use is bounded even if a container never stops writing. If a slow reader misses lines that have
 * been removed, it continues with the oldest remaining line.
 *
 * @see kubernetes pkg/kubelet/kuberuntime/logs
 */
export class ContainerLog implements ContainerOutput {
  readonly #clock: Clock;
  readonly #maxBytes: number;
  #entries: (Entry | undefined)[] = [];
  /** Number of entries at the beginning of the list that have been removed from the log, but not yet from the list. */
  #head = 0;
  /** Sequence number of the first entry in the list. */
  #first = 0;
  #bytes = 0;
  readonly #unfinished: Record<OutputStream, { pieces: Buffer[]; bytes: number; isInLine: boolean }> = {
    stdout: { pieces: [], bytes: 0, isInLine: false },
    stderr: { pieces: [], bytes: 0, isInLine: false },
  };
  readonly #waiting = new Set<() => void>();
  #hasEnded = false;

  constructor({ clock, maxBytes = defaultMaxBytes }: { readonly clock: Clock; readonly maxBytes?: number }) {
    this.#clock = clock;
    this.#maxBytes = maxBytes;
  }

  write(chunk: Uint8Array | string, stream: OutputStream = "stdout"): void {
    if (this.#hasEnded) return;
    const bytes = Buffer.from(chunk); // a copy, because it may be stored for a while
    for (let start = 0; start < bytes.length; ) {
      const room = start + longestEntry - this.#unfinished[stream].bytes;
      const end = bytes.subarray(0, room).indexOf(newline, start);
      const next = end === -1 ? Math.min(bytes.length, room) : end + 1;
      this.#take(stream, bytes.subarray(start, next), end !== -1);
      start = next;
    }
    this.#wake();
  }

  /** Completes an unfinished line, and ends the readers that are following the log. Call it when the container has terminated. */
  end(): void {
    if (this.#hasEnded) return;
    for (const stream of ["stdout", "stderr"] as const) this.#flush(stream, false);
    this.#hasEnded = true;
    this.#wake();
  }

  /** Yields the selected part of the log, in chunks of about 64 KiB. @param signal when aborted, ends a log that is being followed */
  async *read(query: LogQuery, signal: AbortSignal): AsyncGenerator<Buffer, void> {
    const { follow = false, timestamps = false, sinceMs = Number.NEGATIVE_INFINITY } = query;
    let left = query.limitBytes ?? Number.POSITIVE_INFINITY;
    const end = this.#end;
    let next = query.tailLines === undefined ? this.#start : Math.max(this.#start, end - query.tailLines);
    while (!signal.aborted) {
      const pieces: Buffer[] = [];
      let bytes = 0;
      for (next = Math.max(next, this.#start); next < (follow ? this.#end : end) && bytes < maxBytesAtOnce; next++) {
        const entry = this.#entries[next - this.#first];
        if (!entry || entry.timeMs < sinceMs) continue;
        const text = timestamps && entry.beginsLine ? withTime(entry) : entry.text;
        pieces.push(text);
        bytes += text.length;
      }
      const piece = Buffer.concat(pieces).subarray(0, left);
      left -= piece.length;
      if (piece.length > 0) yield piece;
      if (left <= 0) return;
      if (next < (follow ? this.#end : end)) continue;
      if (!follow || this.#hasEnded) return;
      await this.#more(signal);
    }
  }

  get #start(): number {
    return this.#first + this.#head;
  }

  get #end(): number {
    return this.#first + this.#entries.length;
  }

  #take(stream: OutputStream, piece: Buffer, isWhole: boolean): void {
    const unfinished = this.#unfinished[stream];
    if (unfinished.pieces.length >= maxPieces) unfinished.pieces = [Buffer.concat(unfinished.pieces)];
    unfinished.pieces.push(piece);
    unfinished.bytes += piece.length;
    if (isWhole || unfinished.bytes >= longestEntry) this.#flush(stream, !isWhole);
  }

  #flush(stream: OutputStream, goesOn: boolean): void {
    const { pieces, bytes, isInLine } = this.#unfinished[stream];
    this.#unfinished[stream] = { pieces: [], bytes: 0, isInLine: goesOn };
    if (bytes === 0) return;
    const text = Buffer.concat(pieces);
    this.#entries.push({ text, timeMs: this.#clock.now(), beginsLine: !isInLine });
    this.#bytes += text.length + entryOverhead;
    while (this.#bytes > this.#maxBytes && this.#start < this.#end - 1) this.#drop();
  }

  #drop(): void {
    this.#bytes -= (this.#entries[this.#head]?.text.length ?? 0) + entryOverhead;
    this.#entries[this.#head] = undefined;
    this.#head += 1;
    if (this.#head < 1_024 && this.#head * 2 < this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#head);
    this.#first += this.#head;
    this.#head = 0;
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  async #more(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    this.#waiting.add(wake);
    signal.addEventListener("abort", wake, { once: true });
    await promise;
    signal.removeEventListener("abort", wake);
    this.#waiting.delete(wake);
  }
}

/** Returns a line that begins with its time. Like kubelets, prints nine decimal places of a second. */
const withTime = ({ text, timeMs }: Entry): Buffer =>
  Buffer.concat([Buffer.from(`${rfc3339Micro(timeMs).replace("Z", "000Z")} `), text]);
