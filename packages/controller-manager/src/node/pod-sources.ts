import { ignoreNotFound } from "@kubewright/apimachinery";
import type { Reader, Writer } from "@kubewright/client";
import { ConfigMap, Secret, ServiceAccount } from "@kubewright/client/kinds";

/** The data of a Secret or ConfigMap: a map from keys to values. */
export type SourceData = ReadonlyMap<string, Buffer>;

/** Properties of a token to request. */
export interface TokenWish {
  /** Audience of the token. Default: the API server's audience. */
  readonly audience?: string | undefined;
  readonly expirationSeconds: number;
}

/** Provides data from a pod's namespace. Each item is read from the API server when it is requested. */
export interface PodSources {
  /** Returns the values of a Secret, or `undefined` if the Secret does not exist. */
  secret(name: string): Promise<SourceData | undefined>;
  /** Returns the values of a ConfigMap, or `undefined` if the ConfigMap does not exist. */
  configMap(name: string): Promise<SourceData | undefined>;
  /** Requests a token for the pod's ServiceAccount. The token is valid only as long as the pod exists. */
  serviceAccountToken(wish: TokenWish): Promise<string>;
}

export interface PodIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly serviceAccountName: string;
}

/** Returns the data sources for a pod. Like the kubelet, they read only from the pod's namespace. */
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
