import { connect, createServer, type Server } from "node:net";

/**
 * Listens on a socket to show other processes that this process is alive. Returns `undefined` if the directory does not
 * support sockets.
 */
export function listening(path: string): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", () => resolve(undefined));
    server.listen({ path, exclusive: true }, () => {
      server.on("error", () => {}); // errors of rejected connections are irrelevant
      resolve(server);
    });
    server.unref();
  });
}

/**
 * Reports whether a process listens on a socket. This also works for a suspended or busy process, because the kernel accepts the
 * connection.
 */
export function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      resolve(error.code !== "ECONNREFUSED" && error.code !== "ENOENT");
    });
  });
}
