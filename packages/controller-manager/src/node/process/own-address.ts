/**
 * Returns a module that is loaded before the program. If the program listens on all addresses or does not specify one, the module makes it
 * listen on the pod's address. Otherwise, the first pod that uses a port would block it for all other pods, such as the second replica or
 * the new pod of a rollout. On loopback, the program reaches its own ports, and the machine's at all other port numbers.
 */
export const listenAt = (ip: string): string => `data:text/javascript,${encodeURIComponent(script(ip))}`;

const script = (ip: string): string => `
import { Server, Socket } from "node:net";
const own = ${JSON.stringify(ip)};
const ports = new Set();
const { listen } = Server.prototype;
const { connect } = Socket.prototype;
const every = ["", "0.0.0.0", "::"];
const loopback = ["localhost", "127.0.0.1", "::1", ...every];
const isAbsent = (host) => host === undefined || host === null;
const isPort = (value) => typeof value === "number" || (typeof value === "string" && /^\\d+$/.test(value));
const redirect = (server) => server.prependOnceListener("listening", () => ports.add(server.address().port));
Server.prototype.listen = function (first, ...rest) {
  if (isPort(first)) {
    const [host, ...others] = rest;
    if (typeof host === "string" && !every.includes(host)) return listen.call(this, first, ...rest);
    redirect(this);
    return listen.call(this, first, own, ...(isAbsent(host) || typeof host === "string" ? others : rest));
  }
  const isAddress = typeof first === "object" && first !== null && isPort(first.port) && first.path === undefined;
  if (!isAddress || !(isAbsent(first.host) || every.includes(first.host))) return listen.call(this, first, ...rest);
  redirect(this);
  return listen.call(this, { ...first, host: own }, ...rest);
};
const placed = (options) => {
  const isOwn = ports.has(Number(options.port)) && (isAbsent(options.host) || loopback.includes(options.host));
  return isOwn ? { ...options, host: own } : options;
};
Socket.prototype.connect = function (first, ...rest) {
  if (Array.isArray(first)) first[0] = placed(first[0]); // as net.connect and http pass it on
  else if (isPort(first)) {
    const [host, ...others] = rest;
    if (isAbsent(host) || typeof host === "string")
      return connect.call(this, placed({ port: Number(first), ...(host && { host }) }), ...others);
    return connect.call(this, placed({ port: Number(first) }), ...rest);
  } else if (typeof first === "object" && first !== null) return connect.call(this, placed(first), ...rest);
  return connect.call(this, first, ...rest);
};
`;
