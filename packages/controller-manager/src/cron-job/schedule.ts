import { ownMember } from "@kubewright/apimachinery";

const months = ["", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const bounds: readonly (readonly [least: number, most: number, words: readonly string[]])[] = [
  [0, 59, []],
  [0, 23, []],
  [1, 31, []],
  [1, 12, months],
  [0, 6, days],
];
const descriptors: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const minuteMs = 60_000;
const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: minuteMs, h: 60 * minuteMs };
/** Further ahead nothing is looked for: such a schedule has no next time. */
const horizonMs = 5 * 366 * 24 * 60 * minuteMs;

/** When something recurs. */
export interface Schedule {
  /** The first time after a moment; `undefined` if there is none. Milliseconds since 1970. */
  next(afterMs: number): number | undefined;
}

/**
 * A schedule of cron's five fields, or a descriptor such as `@daily` or `@every 90s`.
 *
 * @param timeZone IANA name. Default UTC
 * @throws {RangeError} for a time zone that there is not
 * @see github.com/robfig/cron ParseStandard
 */
export function parseSchedule(text: string, timeZone = "UTC"): Schedule {
  const zoned = /^(?:CRON_TZ|TZ)=(\S+)\s+(.*)$/.exec(text.trim());
  const [zone, spec] = zoned ? [zoned[1] ?? timeZone, zoned[2] ?? ""] : [timeZone, text.trim()];
  if (spec.startsWith("@every ")) return every(spec.slice(7));
  const fields = (ownMember(descriptors, spec) ?? spec).split(/\s+/);
  const [minutes, hours, dates, monthSet, weekdays] = bounds.map(([least, most, words], i) =>
    valuesOf(fields[i] ?? "*", least, most, words),
  );
  const isAny = (field: string | undefined): boolean => field === undefined || field.startsWith("*") || field === "?";
  const either = !isAny(fields[2]) && !isAny(fields[4]);
  const clockOf = wallClock(zone);
  const isDay = ({ date, month, weekday }: WallTime): boolean => {
    if (!monthSet?.has(month)) return false;
    const [byDate, byWeekday] = [dates?.has(date) ?? false, weekdays?.has(weekday) ?? false];
    return either ? byDate || byWeekday : byDate && byWeekday;
  };
  return {
    next(afterMs) {
      let at = Math.floor(afterMs / minuteMs) * minuteMs + minuteMs;
      for (const end = at + horizonMs; at < end; ) {
        const time = clockOf(at);
        if (!isDay(time)) at += (60 * (24 - time.hour) - time.minute) * minuteMs - slack(time);
        else if (!hours?.has(time.hour)) at += (60 - time.minute) * minuteMs;
        else if (!minutes?.has(time.minute)) at += minuteMs;
        else return at;
      }
      return undefined;
    },
  };
}

/** Days on which the clock is put forward or back are not 24 hours long: look from an hour before midnight on. */
const slack = ({ hour }: WallTime): number => (hour < 22 ? 60 * minuteMs : 0);

function every(text: string): Schedule {
  let ms = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g))
    ms += Number(amount) * (unitMs[unit ?? ""] ?? 0);
  const period = Math.max(1_000, Math.floor(ms / 1_000) * 1_000);
  return { next: (afterMs) => Math.floor(afterMs / 1_000) * 1_000 + period };
}

function valuesOf(field: string, least: number, most: number, words: readonly string[]): Set<number> {
  const numberOf = (text: string): number => {
    const word = words.indexOf(text.toLowerCase());
    return word >= 0 ? word : Number(text);
  };
  const values = new Set<number>();
  for (const part of field.split(",")) {
    const [range = "*", step] = part.split("/");
    const [low = "*", high] = range.split("-");
    const isAny = low === "*" || low === "?";
    const first = isAny ? least : numberOf(low);
    const last = high === undefined ? (isAny || step !== undefined ? most : first) : numberOf(high);
    for (let value = first; value <= last; value += Number(step ?? 1)) values.add(value);
  }
  return values;
}

interface WallTime {
  readonly minute: number;
  readonly hour: number;
  readonly date: number;
  readonly month: number;
  readonly weekday: number;
}

function wallClock(timeZone: string): (ms: number) => WallTime {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    minute: "numeric",
    hour: "numeric",
    day: "numeric",
    month: "numeric",
    weekday: "short",
  });
  return (ms) => {
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    const numberOf = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
    return {
      minute: numberOf("minute"),
      hour: numberOf("hour"),
      date: numberOf("day"),
      month: numberOf("month"),
      weekday: days.indexOf((parts.get("weekday") ?? "").toLowerCase()),
    };
  };
}
