import { isNotFound } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { Deployment, Pod } from "@kubewright/client/kinds";
import { NotSoError, UsageError } from "../command/errors.ts";

/** A console in a cluster: behind which object, and how it is spoken to there. */
export interface ConsoleTarget {
  /** As kubectl names it: `deployment/shop`. */
  readonly name: string;
  readonly namespace: string;
  readonly port: number;
  readonly scheme: "http" | "https";
  /** The program, as the label `app.kubernetes.io/name` says. Absent: nothing says so. */
  readonly program?: string | undefined;
}

/** What is forwarded to, by its words. */
export interface TargetName {
  readonly type: "deployment" | "pod";
  readonly name: string;
}

const types: ReadonlyMap<string, TargetName["type"]> = new Map([
  ...["deploy", "deployment", "deployments", "deployments.apps"].map((name) => [name, "deployment"] as const),
  ...["po", "pod", "pods"].map((name) => [name, "pod"] as const),
]);

/** `deploy/shop`, `pod/shop-7f9c`, or the name of a pod, as kubectl has it. @throws {UsageError} if it is none of them */
export function targetNameOf(text: string): TargetName {
  const slash = text.indexOf("/");
  const type = slash < 0 ? "pod" : types.get(text.slice(0, slash).toLowerCase());
  const name = text.slice(slash + 1);
  if (!type || !/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(name))
    throw new UsageError(`TARGET ${JSON.stringify(text)}: want a deployment or a pod, such as deploy/shop`);
  return { type, name };
}

const schemes: ReadonlyMap<string | undefined, ConsoleTarget["scheme"]> = new Map([
  ["console", "http"],
  ["console-https", "https"],
]);

/**
 * Finds the port that the manifests name `console`.
 *
 * @throws {NotSoError} if there is no such object, or it has no such port
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
      throw new NotSoError(`${shown}: there is none in the namespace ${namespace}; -n names another`);
    throw error;
  });
  const port = found.containers.flatMap(({ ports = [] }) => ports).find((one) => schemes.has(one.name));
  const scheme = schemes.get(port?.name);
  if (!port || !scheme)
    throw new NotSoError(
      `${shown}: no container of it has a port of the name console, so its program has no console: call addConsole(manager, { bindAddress: "127.0.0.1:8090" }) in setup, and deploy what kubewright generate prints then`,
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
