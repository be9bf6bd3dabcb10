import type { ServerResponse } from "node:http";
import type { Clock, Timer } from "@kubewright/clock";
import { beginStream } from "./answers.ts";

export interface EventStreamsOptions {
  readonly clock: Clock;
  /** What is told each second, made once for all who listen. Not asked while nobody does. */
  readonly tick: () => object;
}

const tickMs = 1_000;
const mostStreams = 16;
/** Who has so much yet to read is passed over, and who stays so for {@link mostPassedOver} ticks is let go. */
const mostUnread = 256 * 1024;
const mostPassedOver = 30;
/** Streams end after so long, so that who is no longer permitted to look does not. Browsers come again. */
const longestMs = 5 * 60_000;

interface Stream {
  readonly response: ServerResponse;
  readonly endsAtMs: number;
  passedOver: number;
}

/** Who listens. One timer and one text serve them all; without listeners there is neither. */
export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #streams = new Set<Stream>();
  #timer: Timer | undefined;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#streams.size;
  }

  /** @returns false, and nothing is answered, where there are too many already */
  open(response: ServerResponse): boolean {
    if (this.#streams.size >= mostStreams) return false;
    const stream = { response, endsAtMs: this.#options.clock.monotonic() + longestMs, passedOver: 0 };
    this.#streams.add(stream);
    response.once("close", () => this.#forget(stream));
    response.on("error", () => this.#forget(stream));
    beginStream(response);
    response.write(this.#event());
    this.#arm();
    return true;
  }

  /** Ends all. */
  close(): void {
    for (const stream of [...this.#streams]) this.#end(stream);
  }

  #event(): string {
    return `event: tick\ndata: ${JSON.stringify(this.#options.tick())}\n\n`;
  }

  #arm(): void {
    this.#timer ??= this.#options.clock.after(tickMs, () => this.#onTick(), { unref: true });
  }

  #onTick(): void {
    this.#timer = undefined;
    const event = this.#event();
    const now = this.#options.clock.monotonic();
    for (const stream of [...this.#streams]) {
      const { response, endsAtMs } = stream;
      if (now >= endsAtMs) this.#end(stream);
      else if (response.writableLength <= mostUnread) {
        stream.passedOver = 0;
        response.write(event);
      } else if (++stream.passedOver > mostPassedOver) response.destroy();
    }
    if (this.#streams.size > 0) this.#arm();
  }

  #end(stream: Stream): void {
    this.#forget(stream);
    stream.response.end();
  }

  #forget(stream: Stream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
