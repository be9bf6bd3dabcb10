import type { ApiRequest } from "@kubewright/apiserver/endpoints";
import { responseHeaders } from "../transport/forwarded-headers.ts";
import type { Upgraded } from "./upgraded.ts";

/**
 * After an upgrade, joins the connection to the client with the connection to the extension server. When one of them
 * ends, the other is closed.
 */
export function joinConnections(request: ApiRequest, { answer, connection, head }: Upgraded): void {
  const takenOver = request.response.takeOver?.(101);
  if (!takenOver) {
    connection.destroy();
    return;
  }
  const client = takenOver.connection;
  const end = (): void => {
    client.destroy();
    connection.destroy();
  };
  for (const each of [client, connection]) {
    each.on("error", end);
    each.on("close", end);
  }
  request.signal.addEventListener("abort", end, { once: true });
  request.responseStarted();
  const { upgrade = "" } = answer.headers;
  const headers = Object.entries(responseHeaders(answer.headers)).flatMap(([name, value]) =>
    [value].flat().map((each) => `${name}: ${each}`),
  );
  const lines = ["HTTP/1.1 101 Switching Protocols", "Connection: Upgrade", `Upgrade: ${upgrade}`, ...headers];
  client.write(Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"));
  client.write(head);
  connection.write(takenOver.head);
  client.pipe(connection);
  connection.pipe(client);
}
