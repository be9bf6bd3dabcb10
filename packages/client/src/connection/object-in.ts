import { isRecord, parseJsonNumbers } from "@kubewright/apimachinery";

/**
 * Parses the body of a response, which must be a JSON object.
 *
 * @param what the attempted call, for messages
 * @throws {Error} if it is not JSON, or not a JSON object
 */
export function objectIn(body: Buffer, what: string): object {
  let answer: unknown;
  try {
    answer = parseJsonNumbers(body.toString());
  } catch (error) {
    throw new Error(`${what}: the response is not JSON`, { cause: error });
  }
  if (isRecord(answer)) return answer;
  throw new Error(`${what}: the response is ${jsonTypeOf(answer)}, not an object`);
}

/** @throws {Error} with the first item of a list response that is not an object */
export function checkItems(items: unknown, what: string): void {
  if (items === undefined || items === null) return;
  if (!Array.isArray(items)) throw new Error(`${what}: items of the response is ${jsonTypeOf(items)}, not a list`);
  const at = items.findIndex((item) => !isRecord(item));
  if (at >= 0) throw new Error(`${what}: items[${at}] of the response is ${jsonTypeOf(items[at])}, not an object`);
}

/** Returns the type of a JSON value, for messages that cannot quote the value because it may be long. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
