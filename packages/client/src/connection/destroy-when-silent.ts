import type { Clock } from "@kubewright/clock";

/** Number of intervals without a byte, including answers to pings, after which a peer is considered dead. */
const silentIntervals = 3;

/** The used part of a socket. */
export interface WatchedSocket {
  readonly bytesRead: number;
  destroy(error: Error): unknown;
  once(event: "close", listener: () => void): unknown;
}

/**
 * undici sends pings but does not notice missing answers, so a connection that a firewall dropped would block its watches forever.
 * Intervals are counted instead of time: after a stall of this process, answers may have arrived that are not read yet.
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
