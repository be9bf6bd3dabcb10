import { once } from "node:events";
import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { ApiServer } from "@kubewright/kube-apiserver";

/** Address of a server, and the administrator's connection settings. */
export type ServerAddress = Pick<ApiServer, "port" | "connection">;

/** A connection with arbitrary content. */
export interface RawClient {
  readonly socket: Socket;
  /** The text from the server. */
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

/** Opens a connection without TLS. */
export async function plainClient(server: ServerAddress): Promise<RawClient> {
  const socket = connectPlain({ host: "127.0.0.1", port: server.port });
  const client = follow(socket);
  await once(socket, "connect");
  return client;
}

/** Opens a connection of the administrator with HTTP/1.1. Reads the server's answer only if `reads` is true. */
export async function tlsClient(server: ServerAddress, text = "", reads = true): Promise<RawClient> {
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
