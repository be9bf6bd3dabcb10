import type { StructuralSchema } from "@kubewright/apimachinery";
import fc from "fast-check";

/** Maximum number of characters above the minimum length. */
const slack = 16;

const twoDigits = (most: number) => fc.integer({ min: 0, max: most }).map((value) => String(value).padStart(2, "0"));
const date = fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
const hexByte = fc.integer({ min: 0, max: 255 }).map((value) => value.toString(16).padStart(2, "0"));

const formats: Readonly<Record<string, () => fc.Arbitrary<string>>> = {
  byte: () => fc.base64String({ maxLength: slack }),
  cidr: () => fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })).map(([address, bits]) => `${address}/${bits}`),
  date: () => date.map((value) => value.toISOString().slice(0, 10)),
  "date-time": () => date.map((value) => `${value.toISOString().slice(0, 19)}Z`),
  duration: () => fc.tuple(fc.nat(23), twoDigits(59)).map(([hours, minutes]) => `${hours}h${Number(minutes)}m`),
  email: () => fc.stringMatching(/^[a-z]{1,8}@[a-z]{1,8}\.example$/),
  hostname: () => fc.domain(),
  ipv4: () => fc.ipV4(),
  ipv6: () => fc.ipV6(),
  mac: () => fc.array(hexByte, { minLength: 6, maxLength: 6 }).map((bytes) => bytes.join(":")),
  uri: () => fc.stringMatching(/^https:\/\/[a-z]{1,8}\.example(\/[a-z0-9]{1,8}){0,3}$/),
  uuid: () => fc.uuid(),
};

/**
 * Generates strings for a schema. The caller must check that a string satisfies the length, pattern and format at the
 * same time.
 */
export function stringArbitrary({ format, pattern, minLength = 0, maxLength }: StructuralSchema): fc.Arbitrary<string> {
  if (pattern !== undefined)
    return fc.stringMatching(new RegExp(pattern, "u"), maxLength === undefined ? {} : { maxLength });
  const known = format !== undefined && Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (known) return known();
  return fc.string({ minLength, maxLength: Math.min(maxLength ?? Number.POSITIVE_INFINITY, minLength + slack) });
}
