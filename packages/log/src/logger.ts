import { type Logger as PinoLogger, pino } from "pino";
import { shownError } from "./thrown.ts";

/**
 * The Pino logger that all parts of the framework use. Libraries accept a logger as an option; only entry points fall
 * back to {@link defaultLogger}.
 */
export type Logger = PinoLogger;

/** Minimum level of the lines to write. `silent` writes nothing. */
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

/** Options for {@link createLogger}. */
export interface LoggerOptions {
  /** Minimum level. Default `info`. */
  readonly level?: LogLevel | undefined;
  /** Destination of the lines. Default: standard error, so that programs can use standard output. */
  readonly destination?: { write(line: string): unknown } | undefined;
  /** Keys and values to add to every line. Default: none. */
  readonly bindings?: Readonly<Record<string, unknown>> | undefined;
}

/** Returns a logger for a program. It writes one JSON object per line, with an RFC 3339 timestamp and the name of the level. */
export function createLogger(options: LoggerOptions = {}): Logger {
  const logger = pino(
    {
      level: options.level ?? "info",
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: shownError },
    },
    options.destination ?? pino.destination({ fd: 2, sync: true }),
  );
  return options.bindings ? logger.child(options.bindings) : logger;
}

/** A logger that writes nothing. This is the default in library options; entry points use {@link defaultLogger}. */
export const silentLogger: Logger = pino({ level: "silent", serializers: { err: shownError } });

type Shown = (value: unknown) => unknown;
const survivingSerializers = new WeakSet<Shown>([shownError]);
const safeChildren = new WeakMap<Logger, Logger>();

/**
 * Returns a child logger that never throws, whatever values are logged. If a serializer or `log` formatter throws,
 * {@link shownError} is used instead; it also replaces pino's own error serializer, which modifies the error. If the
 * logger is already safe, returns it unchanged. All packages that accept a logger from the program and call the
 * program's code use this function.
 */
export function safeLogger(logger: Logger): Logger {
  const own = functionsOf(logger, pino.symbols.serializersSym);
  if (own.err && survivingSerializers.has(own.err)) return logger;
  const known = safeChildren.get(logger);
  if (known) return known;
  const serializers = Object.fromEntries(
    Object.entries({ err: shownError, ...own }).map(([key, show]) => [key, surviving(show)]),
  );
  const { log } = functionsOf(logger, pino.symbols.formattersSym);
  const child = logger.child({}, { serializers, ...(log ? { formatters: { log: survivingFormatter(log) } } : {}) });
  safeChildren.set(logger, child);
  return child;
}

function surviving(show: Shown): Shown {
  if (show === pino.stdSerializers.err || survivingSerializers.has(show)) return shownError;
  const guarded: Shown = (value) => {
    try {
      return show(value);
    } catch {
      return shownError(value);
    }
  };
  survivingSerializers.add(guarded);
  return guarded;
}

const survivingFormatter =
  (format: Shown) =>
  (line: object): object => {
    try {
      const formatted = format(line);
      if (typeof formatted === "object" && formatted !== null) return formatted;
    } catch {
      // Logging the original line is better than logging nothing.
    }
    return line;
  };

/** Returns the serializers or formatters of a logger, which pino stores under public symbols. */
function functionsOf(logger: Logger, symbol: symbol): Readonly<Record<string, Shown>> {
  const found: unknown = Reflect.get(logger, symbol);
  if (typeof found !== "object" || found === null) return {};
  const isShown = (entry: [string, unknown]): entry is [string, Shown] => typeof entry[1] === "function";
  return Object.fromEntries(Object.entries(found).filter(isShown));
}
