import { kubernetesVersion } from "@kubewright/apimachinery";

const [major = "", minor = "", patch = ""] = kubernetesVersion.slice(1).split(".");

/** The version of kube-apiserver whose behavior this server reproduces. */
export const mirroredVersion = { major, minor, patch } as const;
