import type { Clock } from "@kubewright/clock";
import type { StorageWatch } from "@kubewright/storage";
import { needsDrain } from "../../http/messages.ts";
import type { ApiRequest } from "../request/api-request.ts";
import type { ResourceScope } from "../scope/resource-scope.ts";

/**
 * Maximum number of bytes that are written to a connection at a time, because each slow client has its own copy of unread data in memory.
 */
const pieceBytes = 256 * 1024;
/** Time after the end of a watch at which the connection is closed if the client has stopped reading. */
const patienceMs = 60_000;

/**
 * Creates frames and writes them to the connection as fast as the client reads them. Returns true if the client is
 * still connected at the end.
 */
export async function sendFrames(
  frames: Iterable<Buffer | Promise<Buffer>>,
  request: ApiRequest,
  watch: Pick<StorageWatch, "isOver">,
  {
    clock,
    watches,
    isWebSocket = false,
  }: Pick<ResourceScope, "clock" | "watches"> & { readonly isWebSocket?: boolean },
): Promise<boolean> {
  const send = async (piece: readonly Buffer[]): Promise<boolean> => {
    if (isWebSocket) for (const message of piece) request.response.write(message);
    else request.response.write(watches.frames.join(piece));
    if (needsDrain(request.response)) await drainedOrOver(request, watch, clock);
    return !request.signal.aborted;
  };
  let piece: Buffer[] = [];
  let bytes = 0;
  for (const made of frames) {
    const frame = made instanceof Promise ? await made : made;
    if (piece.length > 0 && bytes + frame.length > pieceBytes) {
      if (!(await send(piece))) return false;
      piece = [];
      bytes = 0;
    }
    piece.push(frame);
    bytes += frame.length;
  }
  return piece.length === 0 || send(piece);
}

/**
 * Waits until the client has received the written data. If the client has stopped reading, its connection is closed some time after the
 * watch has ended.
 */
async function drainedOrOver(request: ApiRequest, watch: Pick<StorageWatch, "isOver">, clock: Clock): Promise<void> {
  let wasOver = false;
  const look = (): void => {
    if (wasOver) request.cut();
    wasOver = watch.isOver;
    timer = clock.after(patienceMs / 2, look, { unref: true });
  };
  let timer = clock.after(patienceMs / 2, look, { unref: true });
  await request.drained();
  timer.cancel();
}
