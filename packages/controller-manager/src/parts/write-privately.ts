import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { connect } from "node:tls";
import { systemRandom } from "@kubewright/clock";

/**
 * Writes a file that only its owner can read, and creates missing parent folders. Readers never see a partly written
 * file. If there is a symbolic link at the path, the function replaces the link itself, not its target.
 *
 * @throws {Error} if the file cannot be written, with the system's error code
 */
export function writePrivately(path: string, text: string): void {
  makeFolder(dirname(resolve(path)));
  const next = `${path}.${systemRandom.bytes(6).toString("hex")}.kubeconfig`; // projects' `.gitignore` files exclude such names
  try {
    writeFileSync(next, text, { mode: 0o600, flag: "wx" });
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

/** Maximum size of an existing file that may be a kubeconfig of a control plane. Such kubeconfigs are much smaller. */
const maxKubeconfigBytes = 64 * 1_024;
const answersWithinMs = 1_000;

/**
 * Removes the outdated kubeconfig of an earlier control plane, so that a new one can write its kubeconfig to the same
 * path.
 *
 * @throws {Error} with the code `EEXIST` if a different file exists at the path, such as the kubeconfig of another cluster or of a control
 *   plane that is still running
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

/** Reports whether a server is listening at a URL and has a certificate from a CA. */
function answers({ hostname, port }: URL, ca: Buffer): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const host = hostname.replace(/^\[|\]$/g, "");
  const socket = connect({ host, port: Number(port || 443), ca, timeout: answersWithinMs }, () => resolve(true));
  for (const end of ["error", "timeout", "close"]) socket.on(end, () => resolve(false));
  return promise.finally(() => socket.destroy());
}

/**
 * Creates a folder and its missing parents. Creates one level at a time: the recursive function of Node.js never returns in places where
 * nothing can be created, such as `/proc`.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}
