import type { Duplex } from "node:stream";
import { type ApiRequest, sendPlainText } from "@kubewright/apiserver/endpoints";
import { SpdyConnection, type SpdyConnectionOptions } from "./spdy-connection.ts";
import { openTunnel, tunneledProtocols } from "./web-socket-streams.ts";

/**
 * Time in milliseconds after which kubelets close an idle connection.
 *
 * @see kubernetes KubeletConfiguration streamingConnectionIdleTimeout
 */
export const idleMs = 4 * 60 * 60 * 1_000;
/**
 * Time in milliseconds within which a client must open all streams that belong together.
 *
 * @see cri-streaming DefaultStreamCreationTimeout
 */
export const streamCreationMs = 30_000;

type Options = Omit<SpdyConnectionOptions, "connection" | "head" | "idleMs">;

interface Upgraded {
  readonly protocol: string;
  readonly connection: SpdyConnection;
}

/**
 * Upgrades a request's connection to SPDY/3.1: directly, or within a WebSocket if the client offers the protocols for
 * this. If the client supports none of the protocols, sends an error response.
 *
 * @param protocols supported protocols
 *
 * @returns `undefined` if the request was rejected
 * @see streaming pkg/httpstream Handshake, pkg/httpstream/spdy responseUpgrader
 */
export function upgradeToSpdy(
  request: ApiRequest,
  protocols: readonly string[],
  options: Options,
): Upgraded | undefined {
  const tunneled = tunneledProtocols(request);
  const offered = tunneled.length > 0 ? tunneled : headerValues(request, "x-stream-protocol-version");
  const protocol = offered.find((each) => protocols.includes(each));
  const refuse = (code: number, why: string): undefined => {
    sendPlainText(request, code, `unable to upgrade: ${why}\n`);
  };
  if (offered.length === 0) return refuse(400, "header X-Stream-Protocol-Version does not exist in request");
  if (protocol === undefined) {
    request.response.setHeader("X-Accepted-Stream-Protocol-Versions", protocols);
    const lists = `client supports [${offered.join(" ")}], server accepts [${protocols.join(" ")}]`;
    return refuse(403, `unable to negotiate protocol: ${lists}`);
  }
  if (tunneled.length > 0) {
    const tunnel = openTunnel(request, protocol, { clock: options.clock, idleMs });
    return tunnel && { protocol, connection: connect(tunnel, Buffer.alloc(0), options) };
  }
  const takenOver = /spdy\/3\.1/i.test(request.header("upgrade") ?? "") ? request.response.takeOver?.(101) : undefined;
  if (!takenOver) return refuse(400, "missing upgrade headers in request");
  request.responseStarted();
  takenOver.connection.write(
    ["HTTP/1.1 101 Switching Protocols", "Connection: Upgrade", "Upgrade: SPDY/3.1"]
      .concat(`Audit-Id: ${request.auditId}`, `X-Stream-Protocol-Version: ${protocol}`, "", "")
      .join("\r\n"),
  );
  return { protocol, connection: connect(takenOver.connection, takenOver.head, options) };
}

const headerValues = (request: ApiRequest, name: string): readonly string[] =>
  (request.header(name) ?? "")
    .split(",")
    .map((value) => value.trim())
    .filter(Boolean);

const connect = (connection: Duplex, head: Buffer, options: Options): SpdyConnection =>
  new SpdyConnection({ ...options, connection, head, idleMs });
