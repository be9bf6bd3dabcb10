import { kubernetesVersion } from "@kubewright/apimachinery";

const resource = (name: string, kind: string): object => ({
  name,
  singularName: kind.toLowerCase(),
  namespaced: true,
  kind,
  verbs: ["get", "list", "watch"],
});

const documents: Readonly<Record<string, object>> = {
  "/version": { major: "1", minor: "36", gitVersion: kubernetesVersion },
  "/api": { kind: "APIVersions", versions: ["v1"] },
  "/apis": { kind: "APIGroupList", apiVersion: "v1", groups: [] },
  "/api/v1": {
    kind: "APIResourceList",
    groupVersion: "v1",
    resources: [resource("pods", "Pod"), resource("configmaps", "ConfigMap")],
  },
};

/** Returns the discovery documents that clients request first. */
export const discoveryAt = (path: string): object | undefined => documents[path];
