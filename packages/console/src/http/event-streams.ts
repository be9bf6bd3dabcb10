import type { ServerResponse } from "node:http";
import type { Clock, Timer } from "@kubewright/clock";
import { beginStream } from "./responses.ts";

export interface EventStreamsOptions {
  readonly clock: Clock;
  /** Returns the data that all streams send in the current second. Not called while there are no streams. */
  readonly tick: () => object;
}

const tickMs = 1_000;
const maxStreams = 16;
/** Maximum number of unread bytes in a stream. A slower stream is skipped, and closed after {@link maxPassedOver} ticks. */
const maxUnread = 256 * 1024;
const maxPassedOver = 30;
/** Maximum duration of a stream in milliseconds. Browsers then reconnect. */
const longestMs = 5 * 60_000;
/** Interval in milliseconds at which the access of open streams is checked again. */
const recheckMs = 10_000;

/** A viewer of the stream. */
interface Listener {
  /** ID of the viewer, who may have several streams. */
  readonly viewer: string;
  /** Returns the HTTP status that a new request by the viewer would get now. If it is 401 or 403, the stream ends. */
  readonly mayStay: () => Promise<number>;
}

interface Stream extends Listener {
  readonly response: ServerResponse;
  readonly endsAtMs: number;
  recheckAtMs: number;
  passedOver: number;
}

/**
 * The open event streams of a console. They share one timer and send the same text; without streams, no timer runs. The
 * number of streams is limited. Once the limit is reached, a new stream is accepted only if the viewer with the most
 * streams has at least two more than the viewer who opens it; the oldest stream of the former viewer is then closed.
 */
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

  /** Opens a stream. @returns false, without sending a response, if there are too many streams */
  open(response: ServerResponse, listener: Listener): boolean {
    if (this.#streams.size >= maxStreams && !this.#makeRoom(listener.viewer)) return false;
    const now = this.#options.clock.monotonic();
    const times = { endsAtMs: now + longestMs, recheckAtMs: now + recheckMs };
    const stream = { ...listener, response, ...times, passedOver: 0 };
    this.#streams.add(stream);
    response.once("close", () => this.#forget(stream));
    response.on("error", () => this.#forget(stream));
    beginStream(response);
    response.write(this.#event());
    this.#arm();
    return true;
  }

  /** Ends all streams. */
  close(): void {
    for (const stream of [...this.#streams]) this.#end(stream);
  }

  #makeRoom(viewer: string): boolean {
    const byViewer = Map.groupBy(this.#streams, (stream) => stream.viewer);
    const own = byViewer.get(viewer)?.length ?? 0;
    const [most = []] = [...byViewer.values()].toSorted((a, b) => b.length - a.length);
    const [oldest] = most;
    if (!oldest || most.length < own + 2) return false;
    this.#end(oldest);
    return true;
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
      if (now >= stream.recheckAtMs) this.#recheck(stream);
      if (now >= endsAtMs) this.#end(stream);
      else if (response.writableLength <= maxUnread) {
        stream.passedOver = 0;
        response.write(event);
      } else if (++stream.passedOver > maxPassedOver) response.destroy();
    }
    if (this.#streams.size > 0) this.#arm();
  }

  /** Checks a viewer's access again. If the check itself fails, the stream continues until its regular end. */
  #recheck(stream: Stream): void {
    stream.recheckAtMs = Number.POSITIVE_INFINITY;
    stream
      .mayStay()
      .catch(() => 200)
      .then((status) => {
        if (status === 401 || status === 403) return this.#end(stream);
        stream.recheckAtMs = this.#options.clock.monotonic() + recheckMs;
      });
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
