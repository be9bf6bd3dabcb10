import type { KubeObject, Stored } from "@kubewright/apimachinery";

export interface Pod extends KubeObject {
  spec?: { nodeName?: string };
}

/** Returns a Pod in the namespace `web`, optionally with a version. */
export function pod(name: string, version?: number, rest: Partial<Pod["metadata"]> & Pick<Pod, "spec"> = {}): Pod {
  const { spec, ...metadata } = rest;
  const resourceVersion = version === undefined ? {} : { resourceVersion: String(version) };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "web", ...resourceVersion, ...metadata },
    ...(spec ? { spec } : {}),
  };
}

/** Returns a {@link pod} with the fields that a server adds. */
export function storedPod(...args: Parameters<typeof pod>): Stored<Pod> {
  const { metadata, ...rest } = pod(...args);
  return { ...rest, metadata: { uid: `uid-${metadata.name}`, creationTimestamp: "2026-01-01T00:00:00Z", ...metadata } };
}

export const namesOf = (objects: Iterable<{ readonly metadata: { readonly name: string } }>): string[] =>
  [...objects].map(({ metadata }) => metadata.name);

/** Runs everything that is ready to run. */
export async function settle(turns = 5): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
