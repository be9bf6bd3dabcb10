import { isIP } from "node:net";
import type { ServingTls } from "@kubewright/manager";
import { parseBindAddress } from "@kubewright/manager/http";

/** Reports whether a host is a loopback name or address. */
export function isLoopback(host: string): boolean {
  const plain = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (plain === "localhost" || plain === "::1") return true;
  return isIP(plain) === 4 && plain.startsWith("127.");
}

/** Properties of the listen address that determine who is admitted. */
export interface Listening {
  /** Port to listen on. 0 picks a free one. */
  readonly port: number;
  readonly isLoopback: boolean;
  readonly isSecure: boolean;
}

/**
 * Checks a listen address, and returns its properties. @throws {Error} if the address is not valid, or if other machines can reach it
 * without TLS
 */
export function checkListening(bindAddress: string, tls: ServingTls | undefined): Listening {
  const address = parseBindAddress(bindAddress);
  if (!address)
    throw new Error(`bindAddress: "${bindAddress}" is not a host and port; use "127.0.0.1:8090", or remove addConsole`);
  const local = address.host !== undefined && isLoopback(address.host);
  if (!local && !tls)
    throw new Error(
      `bindAddress: other machines can reach "${bindAddress}", and data would not be encrypted; set tls, or listen on 127.0.0.1`,
    );
  return { port: address.port, isLoopback: local, isSecure: tls !== undefined };
}
