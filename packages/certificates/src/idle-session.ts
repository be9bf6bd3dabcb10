import type { ServerHttp2Session } from "node:http2";
import type { Clock, Timer } from "@kubewright/clock";

/** A connection's bytes are looked at so often within the time that it may rest. */
const looks = 4;

/**
 * Tells of a connection of HTTP/2 over which no byte has come or gone for `idleMs`, or a quarter longer; again after the same time, for as
 * long as that goes on. In the place of `session.setTimeout`, whose timer Node leaves running when the session ends (24.21): a session, and
 * the server that it came to, would be held until it goes off.
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
