import { type DestinationStream, type Logger as PinoLogger, pino } from "pino";

/** What every part of the framework logs to: pino's logger. Libraries are given one; only entry points fall back to {@link defaultLogger}. */
export type Logger = PinoLogger;

/** From how grave on lines are written: that level and all after it. `silent` writes none. */
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

/** What a program's logger writes, and where. */
export interface LoggerOptions {
  /** Default `info`. */
  readonly level?: LogLevel | undefined;
  /** Where lines go. Default standard error, so that standard output stays the program's own. */
  readonly destination?: DestinationStream | undefined;
  /** Keys that every line carries. */
  readonly bindings?: Readonly<Record<string, unknown>> | undefined;
}

/** A logger for a program: one JSON object a line, with an RFC 3339 time and the level's name. */
export function createLogger(options: LoggerOptions = {}): Logger {
  const logger = pino(
    {
      level: options.level ?? "info",
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: pino.stdSerializers.err },
    },
    options.destination ?? pino.destination({ fd: 2, sync: true }),
  );
  return options.bindings ? logger.child(options.bindings) : logger;
}

/** Says nothing. The default of library options that take a logger; of entry points it is {@link defaultLogger}. */
export const silentLogger: Logger = pino({ level: "silent" });
