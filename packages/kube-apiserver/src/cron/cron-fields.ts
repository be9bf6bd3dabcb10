import { isErrorWithCode, KubewrightError, quote } from "@kubewright/apimachinery";
import { isInt64 } from "@kubewright/apiserver/registry";

/** Thrown if a schedule is not valid. The message is the same as in upstream's parser. */
export class ScheduleError extends KubewrightError {
  override readonly name = "ScheduleError";
  readonly code = "ERR_SCHEDULE";
}

/** Reports whether an error is a `ScheduleError`. */
export const isScheduleError = isErrorWithCode<ScheduleError>("ERR_SCHEDULE");

/** Values that one field of a schedule matches. */
interface CronField {
  readonly values: ReadonlySet<number>;
  /** True if the field matches any value. If this is one of the two day fields, only the other one determines the days. */
  readonly isAny: boolean;
}

interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly words?: readonly string[];
}

const months = ["", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/** Names of the weekdays. A name's position is its number in a schedule, so Sunday is 0. */
export const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const bounds = {
  minute: { least: 0, most: 59 },
  hour: { least: 0, most: 23 },
  date: { least: 1, most: 31 },
  month: { least: 1, most: 12, words: months },
  weekday: { least: 0, most: 6, words: weekdays },
} as const satisfies Readonly<Record<string, Bounds>>;

/** The five fields of a schedule. */
export type CronFields = Readonly<Record<keyof typeof bounds, CronField>>;

/**
 * Parses the five fields of a schedule.
 *
 * @throws {ScheduleError} if a field is not valid
 */
export function parseFields(spec: string): CronFields {
  const parts = spec.trim() === "" ? [] : spec.trim().split(/\s+/);
  if (parts.length !== 5)
    throw new ScheduleError(`expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`);
  const [minute = "", hour = "", date = "", month = "", weekday = ""] = parts;
  return {
    minute: parseField(minute, bounds.minute),
    hour: parseField(hour, bounds.hour),
    date: parseField(date, bounds.date),
    month: parseField(month, bounds.month),
    weekday: parseField(weekday, bounds.weekday),
  };
}

function parseField(text: string, bounds: Bounds): CronField {
  const values = new Set<number>();
  let isAny = false;
  for (const range of text.split(",").filter(Boolean)) {
    const { first, last, step, isStar } = parseRange(range, bounds);
    for (let value = first; value <= last; value += step) values.add(value);
    if (isStar && step === 1) isAny = true;
  }
  return { values, isAny };
}

interface Range {
  readonly first: number;
  readonly last: number;
  readonly step: number;
  readonly isStar: boolean;
}

/** Parses a range of values. Checks its parts in upstream's order, and reports only the first error. */
function parseRange(text: string, { least, most, words = [] }: Bounds): Range {
  const [range = "", stepText, ...moreSteps] = text.split("/");
  const [low = "", high, ...moreBounds] = range.split("-");
  const isStar = low === "*" || low === "?";
  let [first, last, step] = [least, most, 1];
  if (!isStar) {
    first = numberOf(low, words);
    if (moreBounds.length > 0) throw new ScheduleError(`too many hyphens: ${text}`);
    last = high === undefined ? first : numberOf(high, words);
  }
  if (moreSteps.length > 0) throw new ScheduleError(`too many slashes: ${text}`);
  if (stepText !== undefined) {
    step = numberOf(stepText);
    if (high === undefined) last = most;
  }
  if (first < least) throw new ScheduleError(`beginning of range (${first}) below minimum (${least}): ${text}`);
  if (last > most) throw new ScheduleError(`end of range (${last}) above maximum (${most}): ${text}`);
  if (first > last) throw new ScheduleError(`beginning of range (${first}) beyond end of range (${last}): ${text}`);
  if (step === 0) throw new ScheduleError(`step of range should be a positive number: ${text}`);
  return { first, last, step, isStar };
}

function numberOf(text: string, words: readonly string[] = []): number {
  const word = text === "" ? -1 : words.indexOf(text.toLowerCase());
  if (word >= 0) return word;
  const wrong = (why: string): ScheduleError =>
    new ScheduleError(`failed to parse int from ${text}: strconv.Atoi: parsing ${quote(text)}: ${why}`);
  if (!/^[+-]?\d+$/.test(text)) throw wrong("invalid syntax");
  if (!isInt64(text)) throw wrong("value out of range");
  const value = Number(text);
  if (value < 0) throw new ScheduleError(`negative number (${value}) not allowed: ${text}`);
  return value;
}
