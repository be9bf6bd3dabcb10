import { type DeepReadonly, ignoreNotFound } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { CustomResourceDefinition } from "@kubewright/client/kinds";
import { type Clock, systemClock } from "@kubewright/clock";

const pollMs = 250;

/**
 * Waits until deleted CRDs and their objects no longer exist.
 *
 * @returns the first CRD that still exists after `timeoutMs`, if any
 */
export async function notGone(
  client: Pick<Client, "get">,
  definitions: readonly DeepReadonly<CustomResourceDefinition>[],
  timeoutMs: number,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<string | undefined> {
  const endMs = clock.monotonic() + timeoutMs;
  for (const { metadata } of definitions)
    for (;;) {
      const { name, uid } = metadata;
      const found = await client.get(CustomResourceDefinition, { name }, { signal }).catch(ignoreNotFound);
      if (found?.metadata.uid !== uid) break;
      if (clock.monotonic() >= endMs) return name;
      await clock.sleep(pollMs, signal);
    }
  return undefined;
}
