/**
 * A module that is loaded before the program: what it listens on is the pod's address where it says all addresses, or none. Otherwise the first
 * pod would take a port from every other: from the second replica, and from the new pod of a rollout. Loopback is as the program says.
 */
export const listenAt = (ip: string): string => `data:text/javascript,${encodeURIComponent(script(ip))}`;

const script = (ip: string): string => `
import { Server } from "node:net";
const own = ${JSON.stringify(ip)};
const { listen } = Server.prototype;
const isEvery = (host) => host === undefined || host === null || ["", "0.0.0.0", "::"].includes(host);
const isPort = (value) => typeof value === "number" || (typeof value === "string" && /^\\d+$/.test(value));
Server.prototype.listen = function (first, ...rest) {
  if (isPort(first)) {
    const [host, ...others] = rest;
    if (typeof host === "string" && !isEvery(host)) return listen.call(this, first, ...rest);
    const isNamed = host === undefined || host === null || typeof host === "string";
    return listen.call(this, first, own, ...(isNamed ? others : rest));
  }
  const isAddress = typeof first === "object" && first !== null && isPort(first.port) && first.path === undefined;
  return listen.call(this, isAddress && isEvery(first.host) ? { ...first, host: own } : first, ...rest);
};
`;
