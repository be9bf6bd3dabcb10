import type { Clock } from "@kubewright/clock";

/** A peer is given up after this many intervals without a byte, answers to pings included. */
const silentIntervals = 3;

/** What is looked at of a socket. */
export interface WatchedSocket {
  readonly bytesRead: number;
  destroy(error: Error): unknown;
  once(event: "close", listener: () => void): unknown;
}

/**
 * undici sends pings but never misses their answers, so a connection that a firewall forgot would hang its watches for ever.
 * Intervals are counted, not time: after a stall of this process the answers are still to be read, and nothing is wrong.
 */
export function destroyWhenSilent(socket: WatchedSocket, clock: Clock, intervalMs: number): void {
  let seen = -1;
  let silent = 0;
  let timer = clock.after(intervalMs, check, { unref: true });
  socket.once("close", () => timer.cancel());
  function check(): void {
    silent = socket.bytesRead === seen ? silent + 1 : 0;
    seen = socket.bytesRead;
    if (silent >= silentIntervals) socket.destroy(new Error(`no answer to pings for ${silent * intervalMs} ms`));
    else timer = clock.after(intervalMs, check, { unref: true });
  }
}
