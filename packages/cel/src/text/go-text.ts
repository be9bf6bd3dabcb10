/** Formats a double like Go's `%g`, which uses an exponent for numbers below 0.0001 and for those from 10 to the power of `threshold`. */
export function formatDouble(value: number, threshold = 21): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [digits = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < threshold) return plainDigits(value);
  return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** Formats a number with all of its digits and without an exponent. */
function plainDigits(value: number): string {
  const text = String(value);
  if (!text.includes("e")) return text;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
  const power = Number(exponent);
  const digits = whole + fraction;
  return power < 0 ? `${sign}0.${"0".repeat(-power - 1)}${digits}` : `${sign}${digits.padEnd(power + 1, "0")}`;
}

const second = 1_000_000_000n;

/** Parses an RFC 3339 time. Returns nanoseconds since 1970 and the zone's offset from UTC, or `undefined` if the text is not valid. */
export function parseRfc3339(text: string): { readonly ns: bigint; readonly zoneMinutes: number } | undefined {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)$/.exec(text);
  if (!match) return undefined;
  const [, date = "", time = "", fraction = "", zone = ""] = match;
  const [hours = 0, minutes = 0, seconds = 0] = time.split(":").map(Number);
  if (hours > 23 || minutes > 59 || seconds > 59 || !isCalendarDay(date)) return undefined;
  const [zoneHours = 0, zoneMinutes = 0] = zone === "Z" ? [] : zone.slice(1).split(":").map(Number);
  if (zoneHours > 24 || zoneMinutes > 60) return undefined;
  const ms = Date.parse(`${date}T${time}Z`);
  const ahead = (zone.startsWith("-") ? -1 : 1) * (zoneHours * 60 + zoneMinutes);
  const rest = BigInt(fraction.slice(0, 9).padEnd(9, "0") || "0");
  return { ns: (BigInt(ms / 1000) - BigInt(ahead * 60)) * second + rest, zoneMinutes: ahead };
}

/** Reports whether a string is a valid calendar date. */
export function isCalendarDay(text: string): boolean {
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 10) === text;
}

/** Formats nanoseconds since 1970 as RFC 3339, with as many fractional digits as needed. */
export function formatRfc3339(utcNs: bigint, zoneMinutes = 0): string {
  const ns = utcNs + BigInt(zoneMinutes) * 60n * second;
  const seconds = ns / second - (ns % second < 0n ? 1n : 0n);
  const rest = ns - seconds * second;
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  const fraction = rest === 0n ? "" : `.${String(rest).padStart(9, "0").replace(/0+$/, "")}`;
  const [hours, minutes] = [Math.floor(Math.abs(zoneMinutes) / 60), Math.abs(zoneMinutes) % 60];
  const digits = [hours, minutes].map((part) => String(part).padStart(2, "0")).join(":");
  return `${text}${fraction}${zoneMinutes === 0 ? "Z" : `${zoneMinutes < 0 ? "-" : "+"}${digits}`}`;
}

/** Formats nanoseconds as seconds, such as `90s` or `1.5s`. */
export function formatSeconds(ns: bigint): string {
  return `${plainDigits(Number(ns / second) + Number(ns % second) / 1e9)}s`;
}
