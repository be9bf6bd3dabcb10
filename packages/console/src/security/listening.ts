import { isIP } from "node:net";
import { parseBindAddress, type ServingTls } from "@kubewright/manager";

/** Whether only this machine can name this host. */
export function isLoopback(host: string): boolean {
  const plain = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (plain === "localhost" || plain === "::1") return true;
  return isIP(plain) === 4 && plain.startsWith("127.");
}

/** Where a console listens, as far as that decides who is let in. */
export interface Listening {
  /** 0 takes any that is free. */
  readonly port: number;
  readonly isLoopback: boolean;
  readonly isSecure: boolean;
}

/**
 * @throws {Error} for an address that is none, and for one that other machines reach while nothing is encrypted
 */
export function checkListening(bindAddress: string, tls: ServingTls | undefined): Listening {
  const address = parseBindAddress(bindAddress);
  if (!address)
    throw new Error(`bindAddress: "${bindAddress}" is nowhere; leave addConsole out, or give it "127.0.0.1:8090"`);
  const local = address.host !== undefined && isLoopback(address.host);
  if (!local && !tls)
    throw new Error(
      `bindAddress: other machines reach "${bindAddress}", and what the console shows would not be encrypted; set tls, or listen on 127.0.0.1`,
    );
  return { port: address.port, isLoopback: local, isSecure: tls !== undefined };
}
