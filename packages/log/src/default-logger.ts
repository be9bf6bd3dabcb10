import { createLogger, type Logger } from "./logger.ts";

let made: Logger | undefined;

/**
 * Returns the default logger for entry points. It writes warnings and errors to standard error in a readable format,
 * one line each. The logger is created on the first call. To log nothing, use {@link silentLogger} instead.
 */
export function defaultLogger(): Logger {
  made ??= createLogger({
    level: "warn",
    destination: { write: (line) => void process.stderr.write(readable(line)) },
  });
  return made;
}

/** Keys that are shown in another part of the line, or not at all. */
const left = new Set(["level", "time", "msg", "err", "namespace", "name", "stack", "reconcileID", "causes"]);

/**
 * Formats a line, for example as `2026-01-02T03:04:05.678Z ERROR reconciler error: connection refused controller=site object=default/shop`.
 */
function readable(line: string): string {
  const { level, time, msg, err, namespace, name, ...others }: Record<string, unknown> = JSON.parse(line);
  const object = [namespace, name].filter((part) => typeof part === "string" && part !== "").join("/");
  const pairs = Object.entries({ ...others, ...(object ? { object } : {}) })
    .filter(([key, value]) => !left.has(key) && value !== undefined && value !== "")
    .map(([key, value]) => `${key}=${typeof value === "string" ? quoted(value) : JSON.stringify(value)}`);
  const what = [msg, textOf(err)].filter((text) => typeof text === "string" && text !== "").join(": ");
  return `${[time, String(level).toUpperCase(), onOneLine(what), ...pairs].join(" ")}\n${mistakeFrames(err)}`;
}

/** Returns an error's message, preceded by its type if the error is a programming error. */
function textOf(err: unknown): string | undefined {
  if (typeof err !== "object" || err === null) return err === undefined ? undefined : String(err);
  const { type, message } = err as { type?: unknown; message?: unknown };
  const text = typeof message === "string" ? withoutRepetition(message) : JSON.stringify(err);
  return mistakes.has(String(type)) ? `${type}: ${text}` : text;
}

/** Maximum number of stack frames to print. */
const maxFrames = 20;

/** Returns the stack frames of a programming error, one line each. */
function mistakeFrames(err: unknown): string {
  if (typeof err !== "object" || err === null) return "";
  const { type, message, stack } = err as { type?: unknown; message?: unknown; stack?: unknown };
  if (!mistakes.has(String(type)) && !/^panic: .* \[recovered\]/s.test(String(message))) return "";
  const frames = String(stack).match(/^ {4}at .*$/gm) ?? [];
  return frames
    .slice(0, maxFrames)
    .map((frame) => `    ${onOneLine(frame.trim())}\n`)
    .join("");
}

/** Removes a repetition of the cause's message: pino appends it, and the error's own message may already end with it. */
function withoutRepetition(message: string): string {
  const text = message.length > longest ? `${message.slice(0, longest)} …` : message;
  for (let at = text.indexOf(": "); at >= 0; at = text.indexOf(": ", at + 1)) {
    const [start, end] = [text.slice(0, at), text.slice(at)];
    if (start.endsWith(end)) return start;
  }
  return text;
}

const longest = 2_000;

const mistakes = new Set(["TypeError", "ReferenceError", "RangeError", "SyntaxError"]);

const quoted = (value: string): string => (/^[^\s"=]+$/.test(value) ? value : JSON.stringify(value));

/**
 * Replaces line breaks and control characters, because messages may come from other programs, and such characters could move the terminal's
 * cursor.
 */
const onOneLine = (text: string): string =>
  text
    .replace(/\s+/g, (spaces) => (/[\r\n]/.test(spaces) ? "; " : spaces))
    .replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));
