import { kubernetesVersion } from "@kubewright/apimachinery";

const [major = "", minor = "", patch = ""] = kubernetesVersion.slice(1).split(".");

/** The kube-apiserver version that this server mirrors. */
export const mirroredVersion = { major, minor, patch } as const;
