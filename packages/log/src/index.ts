export { defaultLogger } from "./default-logger.ts";
export { warnDeprecated } from "./deprecation.ts";
export { createLogger, type Logger, type LoggerOptions, type LogLevel, safeLogger, silentLogger } from "./logger.ts";
export { type LoggedObject, objectRef } from "./object-ref.ts";
export { errorText, isPanic, isReadableError, panicText, shownError } from "./thrown.ts";
