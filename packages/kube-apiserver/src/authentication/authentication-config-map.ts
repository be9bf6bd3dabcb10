import { isRecord, type Unstructured } from "@kubewright/apimachinery";
import type { GenericServer } from "@kubewright/apiserver/server";
import { ensureObjects } from "@kubewright/apiserver/server";
import type { Clock } from "@kubewright/clock";
import type { Storage } from "@kubewright/storage";
import type { AuthenticationOptions } from "./authentication-options.ts";

const namespace = "kube-system";
const name = "extension-apiserver-authentication";

export interface TrustParts {
  readonly servers: readonly GenericServer[];
  readonly storage: Storage;
  readonly clock: Clock;
  /** PEM. */
  readonly clientCa: string;
  /** PEM; `undefined` where there is no front proxy. */
  readonly frontProxyCa: string | undefined;
  readonly options: AuthenticationOptions;
}

/**
 * Writes down whom this server trusts, for extension servers to trust them too.
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

function trustData({ clientCa, frontProxyCa, options }: Pick<TrustParts, "clientCa" | "frontProxyCa" | "options">) {
  const list = (values: readonly string[] = []): string => JSON.stringify(values);
  const uidHeaders = options.requestheaderUidHeaders ?? [];
  return {
    "client-ca-file": clientCa,
    ...(frontProxyCa === undefined
      ? {}
      : {
          "requestheader-allowed-names": list(options.requestheaderAllowedNames),
          "requestheader-client-ca-file": frontProxyCa,
          "requestheader-extra-headers-prefix": list(options.requestheaderExtraHeadersPrefix),
          "requestheader-group-headers": list(options.requestheaderGroupHeaders),
          ...(uidHeaders.length > 0 ? { "requestheader-uid-headers": list(uidHeaders) } : {}),
          "requestheader-username-headers": list(options.requestheaderUsernameHeaders),
        }),
  };
}
