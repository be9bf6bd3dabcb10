import { ignoreNotFound } from "@kubewright/apimachinery";
import type { Reader, Writer } from "@kubewright/client";
import { ConfigMap, Secret, ServiceAccount } from "@kubewright/client/kinds";

/** Values by key. */
export type SourceData = ReadonlyMap<string, Buffer>;

/** A token to request. */
export interface TokenWish {
  /** Audience. Default: the API server's. */
  readonly audience?: string | undefined;
  readonly expirationSeconds: number;
}

/** Data from a pod's namespace. Each item is read from the API server when it is requested. */
export interface PodSources {
  /** Returns `undefined` if the object does not exist. */
  secret(name: string): Promise<SourceData | undefined>;
  /** Returns `undefined` if the object does not exist. */
  configMap(name: string): Promise<SourceData | undefined>;
  /** Returns a token for the pod's ServiceAccount that is valid as long as the pod exists. */
  serviceAccountToken(wish: TokenWish): Promise<string>;
}

export interface PodIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly serviceAccountName: string;
}

/** Reads data as a kubelet does: for one pod, and only from its namespace. */
export function podSources(client: Reader & Writer, pod: PodIdentity): PodSources {
  const { namespace } = pod;
  const decoded = (data: Readonly<Record<string, string>> = {}): [string, Buffer][] =>
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64")]);
  return {
    async secret(name) {
      const secret = await client.get(Secret, { namespace, name }).catch(ignoreNotFound);
      return secret && new Map(decoded(secret.data));
    },
    async configMap(name) {
      const found = await client.get(ConfigMap, { namespace, name }).catch(ignoreNotFound);
      if (!found) return undefined;
      const texts = Object.entries(found.data ?? {}).map(([key, text]): [string, Buffer] => [key, Buffer.from(text)]);
      return new Map([...texts, ...decoded(found.binaryData)]);
    },
    async serviceAccountToken({ audience, expirationSeconds }) {
      const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: pod.name, uid: pod.uid };
      const request = await client
        .subResource("token")
        .create(
          ServiceAccount,
          { namespace, name: pod.serviceAccountName },
          { spec: { audiences: audience ? [audience] : [], expirationSeconds, boundObjectRef } },
        );
      return request.status?.token ?? "";
    },
  };
}
