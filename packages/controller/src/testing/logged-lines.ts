import { createLogger, type Logger, type LogLevel } from "@kubewright/log";

export interface LoggedLine {
  readonly level: LogLevel;
  readonly msg: string;
  readonly err?: { readonly message?: string | undefined; readonly type?: string | undefined } | undefined;
  readonly [key: string]: unknown;
}

/** Returns a logger and the lines written to it. */
export function loggedLines(level: LogLevel = "warn"): { readonly log: Logger; readonly lines: LoggedLine[] } {
  const lines: LoggedLine[] = [];
  const write = (text: string): void => void lines.push(JSON.parse(text) as LoggedLine);
  return { log: createLogger({ level, destination: { write } }), lines };
}
