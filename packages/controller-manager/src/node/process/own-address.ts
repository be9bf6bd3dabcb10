import { readdir, readFile, readlink } from "node:fs/promises";
import { connect, type Socket } from "node:net";

/**
 * Returns a module to load before the program. If the program listens on all addresses or specifies no address, the
 * module makes it listen on the pod's address. Without this module, the first pod that uses a port would block this port
 * for all other pods, such as a second replica or the new pod in a rollout. A connection to loopback reaches the program
 * itself if it listens on that port, and the machine if not.
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
  if (Array.isArray(first)) first[0] = placed(first[0]); // net.connect and http pass all arguments as one array
  else if (isPort(first)) {
    const [host, ...others] = rest;
    if (isAbsent(host) || typeof host === "string")
      return connect.call(this, placed({ port: Number(first), ...(host && { host }) }), ...others);
    return connect.call(this, placed({ port: Number(first) }), ...rest);
  } else if (typeof first === "object" && first !== null) return connect.call(this, placed(first), ...rest);
  return connect.call(this, first, ...rest);
};
`;

/**
 * Connects to a port on which one of a container's processes listens: on the pod's address, on loopback, or on all
 * addresses. On systems without `/proc`, it is unknown where processes listen, so the function connects to the pod's
 * address.
 *
 * @param group the container's process group
 *
 * @throws {Error} if nothing accepts the connection
 */
export async function connectToOwn(group: number, ip: string, port: number, signal: AbortSignal): Promise<Socket> {
  const [listener] = await listenersOf(group, port);
  const host = listener === undefined || /^[0.:]+$/.test(listener) ? ip : listener;
  const socket = connect({ host, port, allowHalfOpen: true, signal });
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  socket.on("connect", () => resolve(socket));
  socket.on("error", (error) => reject(new Error(`failed to connect to port ${port} of the pod: ${error.message}`)));
  return promise;
}

/** Returns the addresses on which a process group listens at a port. */
async function listenersOf(group: number, port: number): Promise<readonly string[]> {
  const tables = await Promise.all(["tcp", "tcp6"].map((name) => textOf(`/proc/net/${name}`)));
  const listening = tables
    .flatMap((table) => table.split("\n").slice(1))
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([, local = "", , state, , , , , , inode = ""]) => {
      const [address = "", hexPort = ""] = local.split(":");
      return state === "0A" && Number.parseInt(hexPort, 16) === port ? [{ inode, address: addressIn(address) }] : [];
    });
  if (listening.length === 0) return [];
  const own = await socketsOf(group);
  return listening.filter(({ inode }) => own.has(inode)).map(({ address }) => address);
}

/** Converts an address from the kernel's table: 32-bit words in hexadecimal, each with its lowest byte first. */
function addressIn(hex: string): string {
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => (word.match(/../g) ?? []).toReversed());
  if (bytes.length === 4) return bytes.map((byte) => Number.parseInt(byte, 16)).join(".");
  return (bytes.join("").match(/.{4}/g) ?? []).join(":");
}

async function socketsOf(group: number): Promise<ReadonlySet<string>> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const sockets = new Set<string>();
  for (const pid of pids) {
    const stat = await textOf(`/proc/${pid}/stat`);
    const [, , processGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (Number(processGroup) !== group) continue;
    for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const link = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => "");
      const inode = /^socket:\[(\d+)\]$/.exec(link)?.[1];
      if (inode !== undefined) sockets.add(inode);
    }
  }
  return sockets;
}

const textOf = (path: string): Promise<string> => readFile(path, "utf8").catch(() => ""); // the process has exited, or no /proc
