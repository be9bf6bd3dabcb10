import { kubernetesVersion } from "@kubewright/apimachinery";

const [major = "", minor = "", patch = ""] = kubernetesVersion.slice(1).split(".");

/** The kube-apiserver that this server answers like. */
export const mirroredVersion = { major, minor, patch } as const;
