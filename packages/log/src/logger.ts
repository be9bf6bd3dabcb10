import { type DestinationStream, type Logger as PinoLogger, pino } from "pino";
import { shownError } from "./thrown.ts";

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
      serializers: { err: shownError },
    },
    options.destination ?? pino.destination({ fd: 2, sync: true }),
  );
  return options.bindings ? logger.child(options.bindings) : logger;
}

/** Says nothing. The default of library options that take a logger; of entry points it is {@link defaultLogger}. */
export const silentLogger: Logger = pino({ level: "silent", serializers: { err: shownError } });

type Shown = (value: unknown) => unknown;
const survivingSerializers = new WeakSet<Shown>([shownError]);
const safeChildren = new WeakMap<Logger, Logger>();

/**
 * Returns a child of a program's own logger whose lines cannot fail because of what they show: a serializer or a `log` formatter that
 * throws is replaced by {@link shownError}, and pino's own serializer of errors, which writes to the error, always is. Returns the logger
 * itself where it is safe already. Whatever takes a logger and calls code of others passes the logger through this function.
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
      // The line as it was given is better than none.
    }
    return line;
  };

/** pino keeps a logger's serializers and formatters under public symbols. */
function functionsOf(logger: Logger, symbol: symbol): Readonly<Record<string, Shown>> {
  const found: unknown = Reflect.get(logger, symbol);
  if (typeof found !== "object" || found === null) return {};
  const isShown = (entry: [string, unknown]): entry is [string, Shown] => typeof entry[1] === "function";
  return Object.fromEntries(Object.entries(found).filter(isShown));
}
