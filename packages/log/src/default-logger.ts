import { createLogger, type Logger } from "./logger.ts";

let made: Logger | undefined;

/**
 * What an entry point that is given no logger logs to: warnings and errors, a line each for people to read, to standard error. The
 * logger is made when it is first asked for. Whoever wants silence passes {@link silentLogger}.
 */
export function defaultLogger(): Logger {
  made ??= createLogger({
    level: "warn",
    destination: { write: (line) => void process.stderr.write(readable(line)) },
  });
  return made;
}

/** Keys that are in the line elsewhere, or tell a person nothing. */
const left = new Set(["level", "time", "msg", "err", "namespace", "name", "stack", "reconcileID", "causes"]);

/** `2026-01-02T03:04:05.678Z ERROR reconciler error: connection refused controller=site object=default/shop` */
function readable(line: string): string {
  const { level, time, msg, err, namespace, name, ...others }: Record<string, unknown> = JSON.parse(line);
  const object = [namespace, name].filter((part) => typeof part === "string" && part !== "").join("/");
  const pairs = Object.entries({ ...others, ...(object ? { object } : {}) })
    .filter(([key, value]) => !left.has(key) && value !== undefined && value !== "")
    .map(([key, value]) => `${key}=${typeof value === "string" ? quoted(value) : JSON.stringify(value)}`);
  const what = [msg, textOf(err)].filter((text) => typeof text === "string" && text !== "").join(": ");
  return `${[time, String(level).toUpperCase(), onOneLine(what), ...pairs].join(" ")}\n${mistakeFrames(err)}`;
}

/** The message of an error as pino shows it; of a mistake in a program also its type. */
function textOf(err: unknown): string | undefined {
  if (typeof err !== "object" || err === null) return err === undefined ? undefined : String(err);
  const { type, message } = err as { type?: unknown; message?: unknown };
  const text = typeof message === "string" ? saidOnce(message) : JSON.stringify(err);
  return mistakes.has(String(type)) ? `${type}: ${text}` : text;
}

/** Maximum number of frames of a mistake that are printed. */
const mostFrames = 20;

/** Where a mistake in the program was made, a line for each frame. */
function mistakeFrames(err: unknown): string {
  if (typeof err !== "object" || err === null) return "";
  const { type, message, stack } = err as { type?: unknown; message?: unknown; stack?: unknown };
  if (!mistakes.has(String(type)) && !/^panic: .* \[recovered\]/s.test(String(message))) return "";
  const frames = String(stack).match(/^ {4}at .*$/gm) ?? [];
  return frames
    .slice(0, mostFrames)
    .map((frame) => `    ${onOneLine(frame.trim())}\n`)
    .join("");
}

/** An error's message may end with that of its cause, which pino puts behind it once more. */
function saidOnce(message: string): string {
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

/** What others wrote may hold anything, also what moves a terminal's cursor. */
const onOneLine = (text: string): string =>
  text.replace(/\s*[\r\n]+\s*/g, "; ").replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));
