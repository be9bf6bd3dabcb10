import type { ImageRegistry } from "../image-registry.ts";

/** Whether an address, or the host of a URL, is of this machine alone. */
const isLoopback = (host: string): boolean => /^(127\.\d+\.\d+\.\d+|\[?::1\]?|localhost)$/.test(host);

/**
 * Who comes from elsewhere, with whatever rights, shall start no programs here.
 *
 * @throws {Error} for images that run as processes where the API server is not on loopback
 */
export function checkReach(images: ImageRegistry, host: string): void {
  const names = Object.keys(images).filter((name) => images[name]?.startsProcesses);
  if (names.length === 0 || isLoopback(host)) return;
  throw new Error(
    `host ${host}: images that run as processes of this machine (${names.join(", ")}) need an API server on loopback; leave them or the host out`,
  );
}
