const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const longestName = 253;

let lastNanos = 0n;

/**
 * Returns `<object name>.<nanoseconds in hex>`, or a random name if that would not be a valid one. Two calls never return the same name.
 *
 * @see client-go tools/record/util GenerateEventName
 */
export function eventName(objectName: string, nowMs: number): string {
  const nanos = BigInt(Math.trunc(nowMs)) * 1_000_000n;
  lastNanos = nanos > lastNanos ? nanos : lastNanos + 1n;
  const name = `${objectName}.${lastNanos.toString(16)}`;
  return name.length <= longestName && subdomain.test(name) ? name : crypto.randomUUID();
}
