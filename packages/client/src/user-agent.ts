import { arch, platform } from "node:process";

/** Who asks, where a program does not say. */
export const userAgent = `kubewright/0.1.0 (${platform}/${arch})`;
