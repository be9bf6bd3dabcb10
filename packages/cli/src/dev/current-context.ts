import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { isIPv4 } from "node:net";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { isRecord } from "@kubewright/apimachinery";
import { parse, stringify } from "yaml";
import type { ClusterFlags, CommandContext } from "../command/context.ts";
import { UsageError } from "../command/errors.ts";

/** The current context in the kubeconfig files that were read. */
export interface CurrentContext {
  readonly name: string;
  /** Absolute paths of the files; earlier files take precedence. */
  readonly files: readonly string[];
}

/** Reads the current context from the kubeconfig files that kubectl would use. @throws {UsageError} if no file sets a current context */
export function currentContext(
  { io, cwd }: Pick<CommandContext, "io" | "cwd">,
  { kubeconfig }: ClusterFlags,
): CurrentContext {
  const { KUBECONFIG = "", HOME = homedir() } = io.env;
  const listed = kubeconfig === undefined ? KUBECONFIG.split(delimiter).filter((file) => file !== "") : [kubeconfig];
  const looked = listed.length > 0 ? listed : [join(HOME, ".kube/config")];
  const files = looked.map((file) => resolve(cwd, file)).filter((file) => existsSync(file));
  for (const file of files) {
    const name = contextIn(file);
    if (name !== undefined) return { name, files };
  }
  throw new UsageError(
    `--cluster current: ${looked.join(", ")} sets no current context; run kubectl config use-context NAME, or pass --cluster embedded`,
  );
}

function contextIn(file: string): string | undefined {
  let config: unknown;
  try {
    config = parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  const name = isRecord(config) ? config["current-context"] : undefined;
  return typeof name === "string" && name !== "" ? name : undefined;
}

/**
 * Writes a kubeconfig that pins a program to the given context, even if the current context changes.
 *
 * @returns the value for `KUBECONFIG`
 */
export function pinned({ name, files }: CurrentContext, path: string): string {
  writeFileSync(path, stringify({ apiVersion: "v1", kind: "Config", "current-context": name }), { mode: 0o600 });
  return [path, ...files].join(delimiter);
}

/** Reports whether the context's name and the server's address indicate a cluster on this machine. */
export function isLocal(context: string, server: string): boolean {
  const { hostname } = new URL(server);
  const isLoopback =
    hostname === "localhost" || hostname === "[::1]" || (isIPv4(hostname) && hostname.startsWith("127."));
  return isLoopback || /^(?:kind-|k3d-|minikube\b|docker-desktop$|rancher-desktop$|orbstack$|colima\b)/.test(context);
}
