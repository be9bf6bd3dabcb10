import type { ServerHttp2Session } from "node:http2";
import type { Clock, Timer } from "@kubewright/clock";

/** Number of times that a connection's byte counts are checked within the idle time. */
const looks = 4;

/**
 * Calls `onIdle` when no byte has been sent or received on an HTTP/2 connection for `idleMs` (or up to 25% longer), and
 * again after each further idle period. Use this instead of `session.setTimeout`: Node 24.21 does not stop the timer of
 * `setTimeout` when the session ends, and until this timer fires, it keeps the session and the server in memory.
 */
export function whenIdle(session: ServerHttp2Session, idleMs: number, clock: Clock, onIdle: () => void): void {
  let timer: Timer | undefined;
  let seen = bytesOf(session);
  let restedFor = 0;
  const look = (): void => {
    if (session.destroyed) return;
    const bytes = bytesOf(session);
    restedFor = bytes === seen ? restedFor + 1 : 0;
    seen = bytes;
    wait();
    if (restedFor < looks) return;
    restedFor = 0;
    onIdle();
  };
  const wait = (): void => {
    timer = clock.after(idleMs / looks, look, { unref: true });
  };
  wait();
  session.once("close", () => timer?.cancel());
}

const bytesOf = ({ socket }: ServerHttp2Session): number => socket.bytesRead + socket.bytesWritten;
