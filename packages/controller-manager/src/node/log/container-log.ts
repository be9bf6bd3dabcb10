import { type Clock, rfc3339Micro } from "@kubewright/clock";

/** What of a log is wanted. */
export interface LogQuery {
  /** Go on until the container ends. Default false. */
  readonly follow?: boolean;
  /** Each line begins with its time. Default false. */
  readonly timestamps?: boolean;
  /** Only what was written then or later, in milliseconds since 1970. Default: all. */
  readonly sinceMs?: number;
  /** Only the last lines. Default: all. */
  readonly tailLines?: number;
  /** Ends after so many bytes. Default: no limit. */
  readonly limitBytes?: number;
}

/** Which of a container's two outputs wrote a line. `kubectl logs` shows both in the order in which they came. */
export type OutputStream = "stdout" | "stderr";

/** What a container writes to. Anything may be written, in pieces of any size. */
export interface ContainerOutput {
  /** @param stream default `stdout` */
  write(chunk: Uint8Array | string, stream?: OutputStream): void;
}

/** A line, or a piece of one that is too long. */
interface Entry {
  readonly text: Buffer;
  readonly timeMs: number;
  readonly beginsLine: boolean;
}

/** Of a longer line, so much is an entry. @see kubernetes CRI's partial lines */
const longestEntry = 16 * 1_024;
/** What an entry takes beside its text, roughly. */
const entryOverhead = 128;
/** That an unfinished line is kept in. */
const mostPieces = 64;
const mostBytesAtOnce = 64 * 1_024;
const defaultMaxBytes = 1024 * 1024;
const newline = 0x0a;

/**
 * What one run of a container wrote. It keeps the newest `maxBytes` (default 1 MiB, with what each line takes beside its text), and readers
 * that fall behind go on with the oldest line that is left, so neither a container that writes for ever nor a reader that does not read takes more.
 *
 * @see kubernetes pkg/kubelet/kuberuntime/logs
 */
export class ContainerLog implements ContainerOutput {
  readonly #clock: Clock;
  readonly #maxBytes: number;
  #entries: (Entry | undefined)[] = [];
  /** How many entries at the beginning of the list are gone. */
  #head = 0;
  /** The number of the list's first entry. */
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
    const bytes = Buffer.from(chunk); // a copy: it may be kept for a while
    for (let start = 0; start < bytes.length; ) {
      const room = start + longestEntry - this.#unfinished[stream].bytes;
      const end = bytes.subarray(0, room).indexOf(newline, start);
      const next = end === -1 ? Math.min(bytes.length, room) : end + 1;
      this.#take(stream, bytes.subarray(start, next), end !== -1);
      start = next;
    }
    this.#wake();
  }

  /** The container has ended: what it began to write is a line, too, and readers that wait are done. */
  end(): void {
    if (this.#hasEnded) return;
    for (const stream of ["stdout", "stderr"] as const) this.#flush(stream, false);
    this.#hasEnded = true;
    this.#wake();
  }

  /** In pieces of 64 KiB or, with a longer line, little more. The signal ends a log that goes on. */
  async *read(query: LogQuery, signal: AbortSignal): AsyncGenerator<Buffer, void> {
    const { follow = false, timestamps = false, sinceMs = Number.NEGATIVE_INFINITY } = query;
    let left = query.limitBytes ?? Number.POSITIVE_INFINITY;
    const end = this.#end;
    let next = query.tailLines === undefined ? this.#start : Math.max(this.#start, end - query.tailLines);
    while (!signal.aborted) {
      const pieces: Buffer[] = [];
      let bytes = 0;
      for (next = Math.max(next, this.#start); next < (follow ? this.#end : end) && bytes < mostBytesAtOnce; next++) {
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
    if (unfinished.pieces.length >= mostPieces) unfinished.pieces = [Buffer.concat(unfinished.pieces)];
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

/** Nine digits of a second, as kubelets print. */
const withTime = ({ text, timeMs }: Entry): Buffer =>
  Buffer.concat([Buffer.from(`${rfc3339Micro(timeMs).replace("Z", "000Z")} `), text]);
