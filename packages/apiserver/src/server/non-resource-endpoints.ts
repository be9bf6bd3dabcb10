import { kubernetesVersion } from "@kubewright/apimachinery";
import { isProduced, notProduced } from "@kubewright/codec";
import type { ApiRequest } from "../endpoints/request/api-request.ts";
import { methodNotAllowed, sendText, unknownResource } from "../endpoints/responses/responses.ts";
import type { DelegationTarget } from "./generic-server.ts";
import { type ServerHealthCheck, serveHealth } from "./health-endpoints.ts";
import { mirroredVersion } from "./mirrored-version.ts";

const version = {
  major: mirroredVersion.major,
  minor: mirroredVersion.minor,
  emulationMajor: mirroredVersion.major,
  emulationMinor: mirroredVersion.minor,
  minCompatibilityMajor: mirroredVersion.major,
  minCompatibilityMinor: String(Number(mirroredVersion.minor) - 1),
  gitVersion: `${kubernetesVersion}+kubewright`,
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "2026-01-01T00:00:00Z",
  goVersion: "none",
  compiler: "node",
  platform: `${process.platform === "win32" ? "windows" : process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
};

/** Returns an endpoint that serves `/version`, the health endpoints and the index of paths. */
export function nonResourceEndpoints(
  checks: readonly ServerHealthCheck[],
  paths: () => readonly string[],
): DelegationTarget {
  return {
    async serve(request) {
      const { path } = request.info;
      if (path === "/version" || path === "/version/") {
        if (request.method !== "GET") throw methodNotAllowed();
        if (!isProduced(request.header("accept") || "*/*", ["application/json"])) throw notProduced("application/json");
        sendObjectIndented(request, version);
        return true;
      }
      if (path.startsWith("/version/")) throw unknownResource();
      if (path !== "/" && path !== "/index.html") return serveHealth(request, checks);
      sendObjectIndented(request, { paths: paths() });
      return true;
    },
  };
}

function sendObjectIndented(request: ApiRequest, value: unknown): void {
  sendText(request, 200, JSON.stringify(value, undefined, 2), "application/json");
}
