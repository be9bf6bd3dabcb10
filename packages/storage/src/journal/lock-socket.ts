import { connect, createServer, type Server } from "node:net";

/** A server that nobody talks to; `undefined` where the folder can hold none. */
export function listening(path: string): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", () => resolve(undefined));
    server.listen({ path, exclusive: true }, () => {
      server.on("error", () => {}); // a connection that could not be accepted has been told enough
      resolve(server);
    });
    server.unref();
  });
}

/** A process that is stopped or busy listens too: the kernel answers for it. */
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
