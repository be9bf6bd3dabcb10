import { once } from "node:events";
import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { ApiServer } from "@kubewright/kube-apiserver";

/** A connection on which a test says what it likes. */
export interface RawClient {
  readonly socket: Socket;
  /** What the server said. */
  readonly received: string;
  readonly isClosed: boolean;
}

function follow(socket: Socket): RawClient {
  const client = { socket, received: "", isClosed: false };
  socket.setEncoding("latin1");
  socket.on("error", () => {});
  socket.on("close", () => {
    client.isClosed = true;
  });
  return client;
}

/** A connection without TLS on it. */
export async function plainClient(server: ApiServer): Promise<RawClient> {
  const socket = connectPlain({ host: "127.0.0.1", port: server.port });
  const client = follow(socket);
  await once(socket, "connect");
  return client;
}

/** A connection of the administrator that speaks HTTP/1.1. What the server says is read only where `reads`. */
export async function tlsClient(server: ApiServer, text = "", reads = true): Promise<RawClient> {
  const { caData = "", certData = "", keyData = "" } = server.connection();
  const socket = connectTls({ host: "127.0.0.1", port: server.port, ca: caData, cert: certData, key: keyData });
  const client = follow(socket);
  await once(socket, "secureConnect");
  if (text !== "") socket.write(text);
  if (reads)
    socket.on("data", (chunk: string) => {
      Object.assign(client, { received: client.received + chunk });
    });
  else socket.pause();
  return client;
}

export const requestOf = (path: string, method = "GET"): string => `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n`;
