import type { Clock } from "@kubewright/clock";
import type { StorageWatch } from "@kubewright/storage";
import { needsDrain } from "../../http/messages.ts";
import type { ApiRequest } from "../request/api-request.ts";
import type { ResourceScope } from "../scope/resource-scope.ts";

/** So much is handed to the connection at once: what a client does not read is kept as often as there are such clients. */
const pieceBytes = 256 * 1024;
/** A client that has read nothing for so long after its watch was over is gone for good. */
const patienceMs = 60_000;

/** Makes and writes frames as fast as the client reads them. Answers whether the client is still there. */
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
    if (needsDrain(request.response)) await takenOrOver(request, watch, clock);
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

/** Waits until the client has taken what was written. The connection of one that no longer reads ends some time after its watch. */
async function takenOrOver(request: ApiRequest, watch: Pick<StorageWatch, "isOver">, clock: Clock): Promise<void> {
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
