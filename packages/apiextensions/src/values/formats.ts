import { isIPv4, isIPv6 } from "node:net";
import { ownMember, parseFormatDuration } from "@kubewright/apimachinery";

const patterns: Readonly<Record<string, RegExp>> = {
  bsonobjectid: /^[0-9a-fA-F]{24}$/,
  creditcard: /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11})$/,
  email: /^[^\s@<>]+@[^\s@<>]+$/,
  hexcolor: /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/,
  hostname:
    /^[a-zA-Z0-9\u0080-\uffff](?:[-a-zA-Z0-9\u0080-\uffff]{0,61}[a-zA-Z0-9\u0080-\uffff])?(?:\.[a-zA-Z0-9\u0080-\uffff](?:[-a-zA-Z0-9\u0080-\uffff]{0,61}[a-zA-Z0-9\u0080-\uffff])?)*\.?$/,
  isbn: /^(?:\d[- ]?){9}[\dX]$|^(?:\d[- ]?){13}$/,
  isbn10: /^(?:\d[- ]?){9}[\dX]$/,
  isbn13: /^(?:\d[- ]?){13}$/,
  mac: /^(?:[0-9a-fA-F]{2}([:-]))(?:[0-9a-fA-F]{2}\1){4}[0-9a-fA-F]{2}$|^(?:[0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4}$/,
  rgbcolor: /^rgb\(\s*(?:\d{1,3})\s*,\s*(?:\d{1,3})\s*,\s*(?:\d{1,3})\s*\)$/,
  ssn: /^\d{3}[- ]?\d{2}[- ]?\d{4}$/,
  uuid: /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i,
  uuid3: /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i,
  uuid4: /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i,
  uuid5: /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i,
  byte: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  "k8s-short-name": /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/,
  "k8s-long-name": /^(?=.{1,253}$)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/,
};

const checks: Readonly<Record<string, (text: string) => boolean>> = {
  ipv4: isIPv4,
  ipv6: isIPv6,
  ip: (text) => isIPv4(text) || isIPv6(text),
  cidr: isCidr,
  duration: (text) => parseFormatDuration(text) !== undefined,
  uri: (text) => URL.canParse(text) || /^[/][^\s]*$/.test(text),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isDate(text),
  "date-time": (text) => dateTime.test(text) && isDate(text.slice(0, 10)),
  datetime: (text) => dateTime.test(text) && isDate(text.slice(0, 10)),
};

const dateTime = /^\d{4}-\d\d-\d\d[Tt ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:?\d\d)?$/;

const isDate = (text: string): boolean => {
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
};

function isCidr(text: string): boolean {
  const [address = "", bits = ""] = text.split("/");
  if (!/^\d{1,3}$/.test(bits)) return false;
  return (isIPv4(address) && Number(bits) <= 32) || (isIPv6(address) && Number(bits) <= 128);
}

/** Formats that are not checked in strings. */
const otherFormats: ReadonlySet<string> = new Set(["int32", "int64", "float", "double", "password"]);

/** Reports whether the API server knows a format. It ignores formats that it does not know. */
export const isKnownFormat = (format: string): boolean =>
  otherFormats.has(format) || Object.hasOwn(checks, format) || Object.hasOwn(patterns, format);

/** Reports whether a string matches a format. Every string matches an unknown format. */
export function hasFormat(text: string, format: string): boolean {
  const check = ownMember(checks, format);
  if (check) return check(text);
  return ownMember(patterns, format)?.test(text) ?? true;
}
