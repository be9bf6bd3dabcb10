import type { Io } from "../process/io.ts";

/** Records a command's output, for tests of this package. */
export interface RecordedIo extends Io {
  readonly written: { out: string; err: string };
}

export function recordedIo(env: Io["env"] = {}): RecordedIo {
  const written = { out: "", err: "" };
  return {
    written,
    env,
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
  };
}
