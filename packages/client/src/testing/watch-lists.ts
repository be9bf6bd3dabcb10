import type { Client } from "../calls/client.ts";

/** Reports whether the server's version supports watches with `sendInitialEvents` by default. */
export async function hasWatchLists(client: Client): Promise<boolean> {
  const minor = Number.parseInt((await client.discovery.serverVersion()).minor, 10);
  return minor === 32 || minor >= 34;
}
