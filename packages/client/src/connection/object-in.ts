import { isRecord, parseJsonNumbers } from "@kubewright/apimachinery";

/**
 * Parses the body of an answer, which must be a JSON object.
 *
 * @param what what was attempted, for messages
 * @throws {Error} if it is not JSON, or JSON of something else
 */
export function objectIn(body: Buffer, what: string): object {
  let answer: unknown;
  try {
    answer = parseJsonNumbers(body.toString());
  } catch (error) {
    throw new Error(`${what}: the answer is not JSON`, { cause: error });
  }
  if (isRecord(answer)) return answer;
  throw new Error(`${what}: the answer is ${jsonTypeOf(answer)}, not an object`);
}

/** @throws {Error} naming the first item of a list's answer that is not an object */
export function checkItems(items: unknown, what: string): void {
  if (items === undefined || items === null) return;
  if (!Array.isArray(items)) throw new Error(`${what}: items of the answer is ${jsonTypeOf(items)}, not a list`);
  const at = items.findIndex((item) => !isRecord(item));
  if (at >= 0) throw new Error(`${what}: items[${at}] of the answer is ${jsonTypeOf(items[at])}, not an object`);
}

/** Names the type of a JSON value, for messages that cannot quote it: it may be long. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
