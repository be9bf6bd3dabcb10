import type { ImageRegistry } from "../image-registry.ts";

/** True if an address, or a URL's host, is loopback. */
const isLoopback = (host: string): boolean => /^(127\.\d+\.\d+\.\d+|\[?::1\]?|localhost)$/.test(host);

/**
 * Prevents other machines from starting programs on this machine, regardless of their permissions.
 *
 * @throws {Error} if images run as processes and the API server is not on loopback
 */
export function checkReach(images: ImageRegistry, host: string): void {
  const names = Object.keys(images).filter((name) => images[name]?.startsProcesses);
  if (names.length === 0 || isLoopback(host)) return;
  throw new Error(
    `host ${host}: images that run as processes on this machine (${names.join(", ")}) require an API server on loopback; remove these images, or remove the host`,
  );
}
