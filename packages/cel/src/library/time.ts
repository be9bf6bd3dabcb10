import { spend } from "../text/cost-meter.ts";
import { asDuration, asString, asTimestamp } from "../values/arguments.ts";
import { type FunctionDeclaration, member } from "../values/declarations.ts";
import { CelError, type CelValue } from "../values/value.ts";
import { floorSeconds } from "./conversion.ts";

const second = 1_000_000_000n;

interface CalendarTime {
  readonly year: number;
  /** Month of the year, counted from 0. */
  readonly month: number;
  /** Day of the month, counted from 1. */
  readonly day: number;
  /** Day of the week. 0 is Sunday. */
  readonly weekday: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  readonly dayOfYear: number;
}

function calendarTime(ms: number): CalendarTime {
  const date = new Date(ms);
  const startOfYear = new Date(0);
  startOfYear.setUTCFullYear(date.getUTCFullYear(), 0, 1);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    hours: date.getUTCHours(),
    minutes: date.getUTCMinutes(),
    seconds: date.getUTCSeconds(),
    dayOfYear: Math.floor((ms - startOfYear.getTime()) / 86_400_000),
  };
}

/** Returns the number of milliseconds by which a zone is ahead of UTC at a given time, or `undefined` if the zone is unknown. */
function zoneOffset(zone: string, ms: number): number | undefined {
  if (zone === "" || zone === "UTC") return 0;
  const fixed = /^([+-]?)(\d\d):(\d\d)$/.exec(zone);
  if (fixed) return (fixed[1] === "-" ? -1 : 1) * (Number(fixed[2]) * 60 + Number(fixed[3])) * 60_000;
  const format = zoneFormat(zone);
  if (!format) return undefined;
  spend(workOfTime);
  const name = format.formatToParts(ms).find(({ type }) => type === "timeZoneName")?.value ?? "";
  const [, sign = "", hours = "0", minutes = "0", seconds = "0"] =
    /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?/.exec(name) ?? [];
  return (sign === "-" ? -1 : 1) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}

const zoneFormats = new Map<string, Intl.DateTimeFormat | undefined>();
/** Maximum number of cached zones: more than there are zone names in their usual spelling. */
const maxZones = 1_000;
/** Maximum length of a zone name. */
const longestZone = 64;
/** Work needed when a zone is first used, measured in comparisons. */
const workOfZone = 5_000;
/** Work needed to convert a time to a zone, measured in comparisons. */
const workOfTime = 1_000;

/** Returns a formatter for a zone. Formatters are cached, because creating one takes longer than evaluating most expressions. */
function zoneFormat(zone: string): Intl.DateTimeFormat | undefined {
  if (zone.length > longestZone) return undefined;
  if (zoneFormats.has(zone)) return zoneFormats.get(zone);
  spend(workOfZone);
  if (zoneFormats.size >= maxZones) zoneFormats.clear();
  const format = makeZoneFormat(zone);
  zoneFormats.set(zone, format);
  return format;
}

function makeZoneFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  } catch {
    return undefined;
  }
}

function part(name: string, suffix: string, pick: (time: CalendarTime, ns: bigint) => number): FunctionDeclaration[] {
  const inZone = (ns: bigint, zone: string): CelValue => {
    const ms = Number(floorSeconds(ns)) * 1000;
    const offset = zoneOffset(zone, ms);
    return offset === undefined
      ? new CelError(`unknown time zone ${zone}`)
      : BigInt(pick(calendarTime(ms + offset), ns));
  };
  return [
    member(name, `timestamp_to_${suffix}`, "timestamp -> int", (time) => inZone(asTimestamp(time), "UTC")),
    member(name, `timestamp_to_${suffix}_with_tz`, "timestamp, string -> int", (time, zone) =>
      inZone(asTimestamp(time), asString(zone)),
    ),
  ];
}

const whole = (name: string, suffix: string, unit: bigint): FunctionDeclaration =>
  member(name, `duration_to_${suffix}`, "duration -> int", (span) => asDuration(span) / unit);

const millisecondsOf = (ns: bigint): number => Number((ns - floorSeconds(ns) * second) / 1_000_000n);

/** Functions that return parts of times and durations, such as the hours. @see cel-go common/stdlib/standard.go */
export const time: readonly FunctionDeclaration[] = [
  ...part("getFullYear", "year", ({ year }) => year),
  ...part("getMonth", "month", ({ month }) => month),
  ...part("getDayOfYear", "day_of_year", ({ dayOfYear }) => dayOfYear),
  ...part("getDate", "day_of_month_1_based", ({ day }) => day),
  ...part("getDayOfMonth", "day_of_month", ({ day }) => day - 1),
  ...part("getDayOfWeek", "day_of_week", ({ weekday }) => weekday),
  ...part("getHours", "hours", ({ hours }) => hours),
  whole("getHours", "hours", 3_600n * second),
  ...part("getMinutes", "minutes", ({ minutes }) => minutes),
  whole("getMinutes", "minutes", 60n * second),
  ...part("getSeconds", "seconds", ({ seconds }) => seconds),
  whole("getSeconds", "seconds", second),
  ...part("getMilliseconds", "milliseconds", (_time, ns) => millisecondsOf(ns)),
  whole("getMilliseconds", "milliseconds", 1_000_000n),
];
