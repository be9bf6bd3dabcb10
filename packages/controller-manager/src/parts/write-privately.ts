import { randomBytes } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { connect } from "node:tls";

/**
 * Writes a file that only its owner can read and creates missing parent folders. Readers never see a partial file. A link at the path is
 * replaced rather than followed.
 *
 * @throws {Error} with the error code that the system reported
 */
export function writePrivately(path: string, text: string): void {
  makeFolder(dirname(resolve(path)));
  const next = `${path}.${randomBytes(6).toString("hex")}.kubeconfig`; // a name that projects ignore in git
  try {
    writeFileSync(next, text, { mode: 0o600, flag: "wx" });
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

/** Maximum size of the existing file. A control plane's kubeconfig is much smaller. */
const maxKubeconfigBytes = 64 * 1_024;
const answersWithinMs = 1_000;

/**
 * Prepares the path for the kubeconfig of a starting control plane: removes the outdated file of an earlier control plane.
 *
 * @throws {Error} with the code `EEXIST` if any other file exists at the path, such as the kubeconfig of another cluster or of a running
 *   control plane
 */
export async function clearKubeconfig(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isFile())
    throw taken(path, `${found.isSymbolicLink() ? "is a link" : "is not a file"}; choose another path`);
  const text = found.size > maxKubeconfigBytes ? undefined : readFileSync(path, "utf8");
  if (text !== "") {
    const servers = text?.match(/^[ -]*server:.*$/gm) ?? [];
    const server = /^[ -]*server: "?(https:\/\/[^\s"]+)"?$/.exec(servers[0] ?? "")?.[1];
    const isOurs = text !== undefined && /^current-context: "?kubewright"?$/m.test(text) && servers.length === 1;
    if (!isOurs || !server || !URL.canParse(server))
      throw taken(
        path,
        "this file is not the kubeconfig of a single control plane and would be overwritten; choose another path, or remove the file",
      );
    const ca = /^\s*certificate-authority-data: "?([A-Za-z0-9+/=]+)"?$/m.exec(text)?.[1] ?? "";
    if (await answers(new URL(server), Buffer.from(ca, "base64")))
      throw taken(
        path,
        `belongs to a control plane that is running at ${server}; choose another path, or stop that control plane`,
      );
  }
  rmSync(path, { force: true });
}

const taken = (path: string, why: string): Error =>
  Object.assign(new Error(`kubeconfig ${path}: ${why}`), { code: "EEXIST" });

/** Reports whether a server is listening that has a certificate issued by this CA. */
function answers({ hostname, port }: URL, ca: Buffer): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const host = hostname.replace(/^\[|\]$/g, "");
  const socket = connect({ host, port: Number(port || 443), ca, timeout: answersWithinMs }, () => resolve(true));
  for (const end of ["error", "timeout", "close"]) socket.on(end, () => resolve(false));
  return promise.finally(() => socket.destroy());
}

/** Creates one level at a time, because Node's own recursive function never returns where nothing can be created, as in `/proc`. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}
