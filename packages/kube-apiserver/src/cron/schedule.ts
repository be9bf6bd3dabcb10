import { ownMember, readGoDuration } from "@kubewright/apimachinery";
import { parseFields, ScheduleError, weekdays } from "./cron-fields.ts";

export { isScheduleError, ScheduleError } from "./cron-fields.ts";

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
/**
 * Period in which the next time is searched for, in milliseconds. If a schedule matches no time in it, the schedule has no next
 * time.
 */
const horizonMs = 5 * 366 * 24 * 60 * minuteMs;

/** A recurring schedule. */
export interface Schedule {
  /** Returns the first scheduled time after `afterMs`, or `undefined` if there is none. Both times are in milliseconds since 1970. */
  next(afterMs: number): number | undefined;
}

/**
 * Parses a schedule: either cron's five fields, or a descriptor such as `@daily` or `@every 90s`.
 *
 * @param timeZone IANA name of the time zone. Default `UTC`
 * @throws {ScheduleError} for an invalid schedule
 * @throws {RangeError} for an unknown `timeZone`
 * @see github.com/robfig/cron ParseStandard
 */
export function parseSchedule(text: string, timeZone = "UTC"): Schedule {
  if (text === "") throw new ScheduleError("empty spec string");
  const [, named, behind] = /^(?:CRON_TZ|TZ)=([^ ]*)(.*)$/s.exec(text) ?? [];
  if (behind === "") throw new ScheduleError("invalid schedule format: runtime error: slice bounds out of range [:-1]");
  const clockOf = named === undefined ? wallClock(timeZone) : namedClock(named);
  const spec = behind?.trim() ?? text;
  if (spec.startsWith("@every ")) return every(spec);
  const { minute, hour, date, month, weekday } = parseFields(spec.startsWith("@") ? described(spec) : spec);
  const isDay = (time: WallTime): boolean => {
    if (!month.values.has(time.month)) return false;
    const [byDate, byWeekday] = [date.values.has(time.date), weekday.values.has(time.weekday)];
    return date.isAny || weekday.isAny ? byDate && byWeekday : byDate || byWeekday;
  };
  return {
    next(afterMs) {
      let at = Math.floor(afterMs / minuteMs) * minuteMs + minuteMs;
      for (const end = at + horizonMs; at < end; ) {
        const time = clockOf(at);
        if (!isDay(time)) at += (60 * (24 - time.hour) - time.minute) * minuteMs - slack(time);
        else if (!hour.values.has(time.hour)) at += (60 - time.minute) * minuteMs;
        else if (!minute.values.has(time.minute)) at += minuteMs;
        else return at;
      }
      return undefined;
    },
  };
}

function described(descriptor: string): string {
  const fields = ownMember(descriptors, descriptor);
  if (fields === undefined) throw new ScheduleError(`unrecognized descriptor: ${descriptor}`);
  return fields;
}

/**
 * Returns the time before midnight at which the search starts. The search starts an hour early, because a day on which the clock changes
 * does not have 24 hours.
 */
const slack = ({ hour }: WallTime): number => (hour < 22 ? 60 * minuteMs : 0);

function every(descriptor: string): Schedule {
  const read = readGoDuration(descriptor.slice("@every ".length));
  if ("problem" in read) throw new ScheduleError(`failed to parse duration ${descriptor}: ${read.problem}`);
  const seconds = Math.max(1, Number(read.ns / 1_000_000_000n));
  return { next: (afterMs) => (Math.floor(afterMs / 1_000) + seconds) * 1_000 };
}

interface WallTime {
  readonly minute: number;
  readonly hour: number;
  readonly date: number;
  readonly month: number;
  readonly weekday: number;
}

function namedClock(timeZone: string): (ms: number) => WallTime {
  try {
    return wallClock(timeZone === "" ? "UTC" : timeZone);
  } catch {
    throw new ScheduleError(`provided bad location ${timeZone}: unknown time zone ${timeZone}`);
  }
}

/** Wall time in UTC. Unlike a format of `Intl`, it costs nearly nothing. */
function utcTime(ms: number): WallTime {
  const date = new Date(ms);
  return {
    minute: date.getUTCMinutes(),
    hour: date.getUTCHours(),
    date: date.getUTCDate(),
    month: date.getUTCMonth() + 1,
    weekday: date.getUTCDay(),
  };
}

function wallClock(timeZone: string): (ms: number) => WallTime {
  if (timeZone === "UTC") return utcTime;
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
      weekday: weekdays.indexOf((parts.get("weekday") ?? "").toLowerCase()),
    };
  };
}
