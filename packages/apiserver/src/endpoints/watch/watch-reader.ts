import type { Clock } from "@kubewright/clock";
import type { StorageWatch } from "@kubewright/storage";
import { needsDrain } from "../../http/messages.ts";
import type { ApiRequest } from "../request/api-request.ts";
import type { ResourceScope } from "../scope/resource-scope.ts";

/** So much is handed to the connection at once: what a client does not read is kept as often as there are such clients. */
const pieceBytes = 256 * 1024;
/** A client that has read nothing for so long after its watch was over is gone for good. */
const patienceMs = 60_000;

/** Writes frames as fast as the client reads them. Answers whether the client is still there. */
export async function sendFrames(
  frames: readonly Buffer[],
  request: ApiRequest,
  watch: Pick<StorageWatch, "isOver">,
  { clock, watches }: Pick<ResourceScope, "clock" | "watches">,
): Promise<boolean> {
  for (let start = 0; start < frames.length; ) {
    const end = endOfPiece(frames, start);
    request.response.write(
      watches.frames.join(start === 0 && end === frames.length ? frames : frames.slice(start, end)),
    );
    start = end;
    if (needsDrain(request.response)) await takenOrOver(request, watch, clock);
    if (request.signal.aborted) return false;
  }
  return true;
}

function endOfPiece(frames: readonly Buffer[], start: number): number {
  let [end, bytes] = [start, 0];
  do bytes += frames[end++]?.length ?? 0;
  while (end < frames.length && bytes + (frames[end]?.length ?? 0) <= pieceBytes);
  return end;
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
