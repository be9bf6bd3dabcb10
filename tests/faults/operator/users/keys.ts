/** Every key and password of this world begins so, that it is found wherever it turns up. The length of it is for base64. */
const mark = "KeY9-sEcReT-";

/** A key that nobody may read. */
export const keyOf = (what: string): string => `${mark}${what}-do-not-show`;

const signs: readonly string[] = [
  mark,
  Buffer.from(mark).toString("base64"),
  Buffer.from(Buffer.from(mark).toString("base64")).toString("base64").slice(0, 20),
];

/** Whether a text holds a key, be it plain or in base64. */
export const holdsKey = (text: string): boolean => signs.some((sign) => text.includes(sign));
