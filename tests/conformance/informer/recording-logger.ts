import { createLogger, type Logger } from "@kubewright/log";

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [key: string]: unknown;
}

/** Returns a logger and its lines. */
export function recordingLogger(): { logger: Logger; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const destination = { write: (line: string): void => void lines.push(JSON.parse(line) as LogLine) };
  return { logger: createLogger({ level: "debug", destination }), lines };
}
