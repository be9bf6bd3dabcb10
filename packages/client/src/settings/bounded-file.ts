import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { type Clock, systemClock } from "@kubewright/clock";

/** Time to wait for a pipe that has no writer, and for the end of a pipe that has one, in milliseconds. */
const withoutWriterMs = 5_000;
const withWriterMs = 60_000;
const pollMs = 20;

/**
 * Returns the text of a file. The file may be a pipe or a device, whose size is unknown. Reading blocks the process and
 * its signal handlers, so a pipe must be closed in time.
 *
 * @throws {Error} if the file cannot be read, is larger than `maxBytes`, or is a pipe that is not closed in time
 */
export function boundedFile(
  path: string,
  maxBytes: number,
  { monotonic }: Pick<Clock, "monotonic"> = systemClock,
): string {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)); // Windows has no such flag
  try {
    const isPipe = fstatSync(fd).isFIFO();
    const startMs = monotonic();
    const chunks: Buffer[] = [];
    for (let bytes = 0; ; ) {
      const chunk = Buffer.alloc(64 * 1024);
      const length = readSome(fd, chunk);
      if (length === undefined || (length === 0 && isPipe && bytes === 0)) {
        const timeoutMs = length === undefined ? withWriterMs : withoutWriterMs;
        if (monotonic() - startMs > timeoutMs)
          throw new Error(`it is a pipe that ${bytes === 0 ? "sent nothing" : "did not end"} within ${timeoutMs} ms`);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pollMs);
        continue;
      }
      if (length === 0) return Buffer.concat(chunks).toString("utf8");
      bytes += length;
      if (bytes > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
      chunks.push(chunk.subarray(0, length));
    }
  } finally {
    closeSync(fd);
  }
}

/** Returns the number of bytes read, or undefined if the pipe has no data yet. */
function readSome(fd: number, chunk: Buffer): number | undefined {
  try {
    return readSync(fd, chunk);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EAGAIN") return undefined;
    throw error;
  }
}
