import { isRecord, type Unstructured } from "@kubewright/apimachinery";
import type { GenericServer } from "@kubewright/apiserver/server";
import { ensureObjects } from "@kubewright/apiserver/server";
import type { Clock } from "@kubewright/clock";
import type { Storage } from "@kubewright/storage";
import type { FrontProxy } from "./front-proxy.ts";

const namespace = "kube-system";
const name = "extension-apiserver-authentication";

export interface TrustParts {
  readonly servers: readonly GenericServer[];
  readonly storage: Storage;
  readonly clock: Clock;
  /** CA for client certificates, in PEM format; empty if there is none. */
  readonly clientCa: string;
  /** CA of the front proxy, in PEM format; `undefined` if there is no front proxy. */
  readonly frontProxyCa: string | undefined;
  /** Headers in which the front proxy sends the user. */
  readonly headers: FrontProxy["headers"];
}

/**
 * Writes the CAs that this server trusts to a ConfigMap, so that extension servers can also trust them.
 *
 * @see kubernetes pkg/controlplane/controller/clusterauthenticationtrust
 */
export async function publishTrust({ servers, storage, clock, ...trust }: TrustParts): Promise<void> {
  const data = trustData(trust);
  await ensureObjects(servers, [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data }], clock);
  await storage.guaranteedUpdate(`/core/configmaps/${namespace}/${name}`, {}, (current) => {
    const object = structuredClone(current) as Unstructured;
    const known = isRecord(object.data) ? object.data : {};
    return { object: { ...object, data: { ...known, ...data } } };
  });
}

function trustData({ clientCa, frontProxyCa, headers }: Pick<TrustParts, "clientCa" | "frontProxyCa" | "headers">) {
  const list = (values: readonly string[] = []): string => JSON.stringify(values);
  const uidHeaders = headers.requestheaderUidHeaders ?? [];
  return {
    ...(clientCa === "" ? {} : { "client-ca-file": clientCa }),
    ...(frontProxyCa === undefined
      ? {}
      : {
          "requestheader-allowed-names": list(headers.requestheaderAllowedNames),
          "requestheader-client-ca-file": frontProxyCa,
          "requestheader-extra-headers-prefix": list(headers.requestheaderExtraHeadersPrefix),
          "requestheader-group-headers": list(headers.requestheaderGroupHeaders),
          ...(uidHeaders.length > 0 ? { "requestheader-uid-headers": list(uidHeaders) } : {}),
          "requestheader-username-headers": list(headers.requestheaderUsernameHeaders),
        }),
  };
}
