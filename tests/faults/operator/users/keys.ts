/** Prefix of every key and password of this world, by which they are found anywhere. Its length is a multiple of three, for base64. */
const mark = "KeY9-sEcReT-";

/** Returns a secret key. */
export const keyOf = (what: string): string => `${mark}${what}-do-not-show`;

const signs: readonly string[] = [
  mark,
  Buffer.from(mark).toString("base64"),
  Buffer.from(Buffer.from(mark).toString("base64")).toString("base64").slice(0, 20),
];

/** Reports whether a text contains a key, plain or in base64. */
export const holdsKey = (text: string): boolean => signs.some((sign) => text.includes(sign));
