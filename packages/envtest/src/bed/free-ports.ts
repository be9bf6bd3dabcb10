import { once } from "node:events";
import { createServer } from "node:net";

/** Returns free ports on loopback. All ports are kept open until the last one has been chosen, so that they differ. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  return Promise.all(
    servers.map(async (server) => {
      const address = server.address();
      server.close();
      await once(server, "close");
      if (typeof address !== "object" || address === null) throw new Error("the server has no port");
      return address.port;
    }),
  );
}
