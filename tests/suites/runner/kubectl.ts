import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildCommand } from "./go-suite.ts";

const pinned = readFileSync(join(import.meta.dirname, "..", "go", "e2e", "go.mod"), "utf8");
const [, kubernetes = "", major = "", minor = ""] = /k8s\.io\/kubernetes (v(\d+)\.(\d+)\S*)/.exec(pinned) ?? [];

/** The package in which Kubernetes' release build sets its version. */
const version = "k8s.io/component-base/version";
const flags = [
  "-ldflags",
  `-s -w -X ${version}.gitVersion=${kubernetes} -X ${version}.gitMajor=${major} -X ${version}.gitMinor=${minor} -X ${version}.gitTreeState=clean -X ${version}.buildDate=2026-01-01T00:00:00Z`,
];

/**
 * Builds kubectl once.
 *
 * @returns its folder, for a PATH
 * @throws {Error} with Go's output
 */
export const buildKubectl = (): Promise<string> =>
  buildCommand({ module: "e2e", package: "k8s.io/kubernetes/cmd/kubectl" }, flags);
