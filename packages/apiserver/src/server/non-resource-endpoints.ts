import type { ApiRequest } from "../endpoints/api-request.ts";
import { methodNotAllowed, sendObject, sendPlainText, sendText } from "../endpoints/responses.ts";
import type { DelegationTarget } from "./generic-server.ts";

/** What is mirrored: reported by `/version`. */
const mirroredVersion = { major: "1", minor: "36", patch: "3" } as const;

const version = {
  major: mirroredVersion.major,
  minor: mirroredVersion.minor,
  emulationMajor: "1",
  emulationMinor: "36",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "35",
  gitVersion: `v${mirroredVersion.major}.${mirroredVersion.minor}.${mirroredVersion.patch}+kubewright`,
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "2026-01-01T00:00:00Z",
  goVersion: "none",
  compiler: "node",
  platform: `${process.platform === "win32" ? "windows" : process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
};

/** A named condition for the server to be healthy; it answers what is wrong, or nothing. */
export interface HealthCheck {
  readonly name: string;
  readonly check: () => string | undefined;
}

/** `/version`, `/healthz`, `/livez`, `/readyz` and the index of paths. */
export function nonResourceEndpoints(checks: readonly HealthCheck[], paths: () => readonly string[]): DelegationTarget {
  return {
    async serve(request) {
      const { path } = request.info;
      const reads = request.method === "GET" || request.method === "HEAD";
      if (path === "/version" && !reads) throw methodNotAllowed();
      if (!reads) return false;
      if (path === "/version") sendObjectIndented(request, version);
      else if (path === "/") sendObject(request, 200, { paths: paths() });
      else return serveHealth(request, checks);
      return true;
    },
  };
}

function sendObjectIndented(request: ApiRequest, value: unknown): void {
  sendText(request, 200, JSON.stringify(value, undefined, 2), "application/json");
}

function serveHealth(request: ApiRequest, checks: readonly HealthCheck[]): boolean {
  const [kind = "", name, more] = request.info.path.split("/").filter((part) => part !== "");
  if (kind !== "healthz" && kind !== "livez" && kind !== "readyz") return false;
  const asked = name === undefined ? checks : checks.filter((check) => check.name === name);
  if (more !== undefined || asked.length === 0) return false;
  const results = asked.map(({ name, check }) => ({ name, problem: check() }));
  const failed = results.some(({ problem }) => problem !== undefined);
  const lines = results.map(({ name, problem }) =>
    problem === undefined ? `[+]${name} ok` : `[-]${name} failed: reason withheld`,
  );
  const verdict = `${kind} check ${failed ? "failed" : "passed"}`;
  const verbose = failed || request.query.has("verbose");
  const text = verbose ? `${lines.join("\n")}\n${verdict}\n` : "ok";
  if (name === undefined) sendPlainText(request, failed ? 500 : 200, text);
  else sendText(request, failed ? 500 : 200, text, "text/plain; charset=utf-8");
  return true;
}
