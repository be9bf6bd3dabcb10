import { parseFormatDuration } from "../value/format-duration.ts";
import { ownMember } from "../value/json-value.ts";

const day = /^\d{4}-\d{2}-\d{2}$/;
const dateTime = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;
const ipv4 = /^(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/;
const isIpv6 = (value: string): boolean => value.includes(":") && URL.canParse(`http://[${value}]/`);

const checks: Readonly<Record<string, (value: string) => boolean>> = {
  date: (value) => day.test(value) && !Number.isNaN(Date.parse(value)),
  "date-time": (value) => dateTime.test(value) && !Number.isNaN(Date.parse(value)),
  duration: (value) => parseFormatDuration(value) !== undefined,
  email: (value) => /^[^\s@<>]+@[^\s@<>]+$/.test(value),
  hostname: (value) =>
    value.length <= 255 && value.split(".").every((part) => /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/.test(part)),
  ipv4: (value) => ipv4.test(value),
  ipv6: isIpv6,
  cidr: (value) => {
    const [address = "", bits = "", ...rest] = value.split("/");
    if (rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
    return ipv4.test(address) ? Number(bits) <= 32 : isIpv6(address) && Number(bits) <= 128;
  },
  uri: (value) => URL.canParse(value) || value.startsWith("/"),
  uuid: (value) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(value),
  byte: (value) => value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value),
  mac: (value) => /^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(value),
};

/** Formats that the API server knows, and that are not checked here. */
const unchecked: ReadonlySet<string> = new Set(
  "bsonobjectid creditcard hexcolor isbn isbn10 isbn13 rgbcolor ssn uuid3 uuid4 uuid5 ip datetime k8s-short-name k8s-long-name int32 int64 float double password".split(
    " ",
  ),
);

/** Reports whether the API server knows a format. It ignores other formats. */
export const isKnownFormat = (format: string): boolean => unchecked.has(format) || Object.hasOwn(checks, format);

/** Reports whether a text has a format. Formats that the API server does not check accept every text. */
export function matchesFormat(format: string, value: string): boolean {
  return ownMember(checks, format)?.(value) ?? true;
}
