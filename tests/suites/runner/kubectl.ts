import { buildCommand } from "./go-suite.ts";

/** What the release of Kubernetes' own makes of its version. */
const version = "k8s.io/component-base/version";
const flags = [
  "-ldflags",
  `-s -w -X ${version}.gitVersion=v1.36.3 -X ${version}.gitMajor=1 -X ${version}.gitMinor=36 -X ${version}.gitTreeState=clean -X ${version}.buildDate=2026-01-01T00:00:00Z`,
];

/** kubectl 1.36.3, built once. @returns the folder that it is in, for a PATH @throws {Error} with Go's output */
export const buildKubectl = (): Promise<string> =>
  buildCommand({ module: "e2e", package: "k8s.io/kubernetes/cmd/kubectl" }, flags);
