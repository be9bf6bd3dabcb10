import { ApiServer, type ApiServerOptions } from "@kubewright/kube-apiserver";
import { Agent, fetch } from "undici";

/** A user bound to `cluster-admin`. */
export const clientUser = "client";

const siteDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "sites.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "sites", singular: "site", kind: "Site", listKind: "SiteList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", properties: { size: { type: "integer", minimum: 0 } } },
              status: { type: "object", properties: { phase: { type: "string" } } },
            },
          },
        },
      },
    ],
  },
};

/**
 * Starts a server for foreign clients: with TLS, RBAC, custom resources. Nothing creates ServiceAccounts there, so pods work without them.
 */
export async function startForClients(options: Pick<ApiServerOptions, "http2"> = {}): Promise<ApiServer> {
  const server = await ApiServer.start({
    authorization: ["RBAC"],
    disableAdmissionPlugins: ["ServiceAccount"],
    users: [{ name: clientUser, groups: ["clients"] }],
    crds: [siteDefinition],
    ...options,
  });
  const { server: url, caData = "", certData = "", keyData = "" } = server.connection();
  const dispatcher = new Agent({ connect: { ca: caData, cert: certData, key: keyData } });
  try {
    const response = await fetch(`${url}/apis/rbac.authorization.k8s.io/v1/clusterrolebindings`, {
      method: "POST",
      dispatcher,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        metadata: { name: "clients" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "clients" }],
      }),
    });
    if (!response.ok) throw new Error(`binding of the clients: ${response.status} ${await response.text()}`);
    return server;
  } finally {
    await dispatcher.destroy();
  }
}
