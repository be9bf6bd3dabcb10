import { isNotFound } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { Deployment, Pod } from "@kubewright/client/kinds";
import { CommandError, UsageError } from "../command/errors.ts";

/** A console in a cluster: the object to forward to, and its port. */
export interface ConsoleTarget {
  /** Name for kubectl, such as `deployment/shop`. */
  readonly name: string;
  readonly namespace: string;
  readonly port: number;
  readonly scheme: "http" | "https";
  /** Value of the label `app.kubernetes.io/name`; undefined without that label. */
  readonly program?: string | undefined;
}

/** Object to forward to. */
export interface TargetName {
  readonly type: "deployment" | "pod";
  readonly name: string;
}

const types: ReadonlyMap<string, TargetName["type"]> = new Map([
  ...["deploy", "deployment", "deployments", "deployments.apps"].map((name) => [name, "deployment"] as const),
  ...["po", "pod", "pods"].map((name) => [name, "pod"] as const),
]);

/**
 * Parses `deploy/shop`, `pod/shop-7f9c` or a pod's name, as kubectl does.
 *
 * @throws {UsageError} if the text has a different form
 */
export function targetNameOf(text: string): TargetName {
  const slash = text.indexOf("/");
  const type = slash < 0 ? "pod" : types.get(text.slice(0, slash).toLowerCase());
  const name = text.slice(slash + 1);
  if (!type || !/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(name))
    throw new UsageError(`TARGET ${JSON.stringify(text)} is not a deployment or a pod; pass, for example, deploy/shop`);
  return { type, name };
}

const schemes: ReadonlyMap<string | undefined, ConsoleTarget["scheme"]> = new Map([
  ["console", "http"],
  ["console-https", "https"],
]);

/**
 * Finds the port named `console` in the manifests.
 *
 * @throws {CommandError} if the object does not exist or has no such port
 */
export async function findConsole(
  client: Pick<Client, "get">,
  { type, name }: TargetName,
  namespace: string,
  signal: AbortSignal,
): Promise<ConsoleTarget> {
  const shown = `${type}/${name}`;
  const found = await podOf(client, { type, name }, `${namespace}/${name}`, signal).catch((error: unknown) => {
    if (isNotFound(error))
      throw new CommandError(`${shown} does not exist in the namespace ${namespace}; pass another namespace with -n`);
    throw error;
  });
  const port = found.containers.flatMap(({ ports = [] }) => ports).find((one) => schemes.has(one.name));
  const scheme = schemes.get(port?.name);
  if (!port || !scheme)
    throw new CommandError(
      `${shown} has no container with a port named console: call addConsole(manager, { bindAddress: "127.0.0.1:8090" }) in setup, run kubewright generate, and deploy again`,
    );
  const program = found.labels["app.kubernetes.io/name"];
  return { name: shown, namespace, port: port.containerPort, scheme, program };
}

async function podOf(client: Pick<Client, "get">, { type }: TargetName, key: string, signal: AbortSignal) {
  if (type === "pod") {
    const { metadata, spec } = await client.get(Pod, key, { signal });
    return { labels: metadata.labels ?? {}, containers: spec?.containers ?? [] };
  }
  const { metadata, spec } = await client.get(Deployment, key, { signal });
  return { labels: metadata.labels ?? {}, containers: spec?.template.spec?.containers ?? [] };
}
