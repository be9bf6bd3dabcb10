import { quote } from "@kubewright/apimachinery";
import type { ApiRequest } from "../endpoints/request/api-request.ts";
import { sendPlainText, sendText } from "../endpoints/responses/responses.ts";

/** A named health check. Returns a description of the problem if the check fails. */
export interface ServerHealthCheck {
  readonly name: string;
  readonly check: () => string | undefined;
}

type Endpoint = "healthz" | "livez" | "readyz";

const hooks = [
  "start-apiserver-admission-initializer",
  "generic-apiserver-start-informers",
  "priority-and-fairness-config-consumer",
  "priority-and-fairness-filter",
  "storage-object-count-tracker-hook",
  "start-apiextensions-informers",
  "start-apiextensions-controllers",
  "crd-informer-synced",
  "start-system-namespaces-controller",
  "peer-endpoint-reconciler-controller",
  "start-cluster-authentication-info-controller",
  "start-kube-apiserver-identity-lease-controller",
  "start-kube-apiserver-identity-lease-garbage-collector",
  "storage-readiness",
  "start-legacy-token-tracking-controller",
  "start-service-ip-repair-controllers",
  "rbac/bootstrap-roles",
  "scheduling/bootstrap-system-priority-classes",
  "priority-and-fairness-config-producer",
  "bootstrap-controller",
  "start-kubernetes-service-cidr-controller",
  "aggregator-reload-proxy-client-cert",
  "start-kube-aggregator-informers",
  "apiservice-status-local-available-controller",
  "apiservice-status-remote-available-controller",
  "apiservice-registration-controller",
  "apiservice-discovery-controller",
  "kube-apiserver-autoregistration",
].map((name) => `poststarthook/${name}`);
const started = [
  ...hooks,
  "autoregister-completion",
  "poststarthook/apiservice-openapi-controller",
  "poststarthook/apiservice-openapiv3-controller",
];
const alive = ["ping", "log", "loopback-serving-certificate", "etcd", ...started];

/**
 * Checks of each endpoint, with upstream's names and in upstream's order. Most of them always pass, because their conditions are met
 * before the server listens.
 */
const checkNames: Readonly<Record<Endpoint, readonly string[]>> = {
  healthz: alive,
  livez: alive,
  readyz: ["ping", "log", "etcd", "etcd-readiness", "informer-sync", ...started, "shutdown"],
};

const isEndpoint = (name: string): name is Endpoint => Object.hasOwn(checkNames, name);

/** All paths handled by {@link serveHealth}. */
export const healthPaths: readonly string[] = Object.entries(checkNames).flatMap(([endpoint, names]) => [
  `/${endpoint}`,
  ...names.map((name) => `/${endpoint}/${name}`),
]);

/** Returns the results of the checks as text for Prometheus. @see component-base metrics/prometheus/slis */
export function healthCheckLines(): string {
  const outcomes = Object.entries(checkNames)
    .flatMap(([type, names]) => names.map((name) => [name, type] as const))
    .sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x < y ? -1 : 1));
  const lines = (metric: string, more: string): string =>
    outcomes.map(([name, type]) => `${metric}{name="${name}"${more},type="${type}"} 1\n`).join("");
  return [
    "# HELP kubernetes_healthcheck [STABLE] This metric records the result of a single healthcheck.\n",
    "# TYPE kubernetes_healthcheck gauge\n",
    lines("kubernetes_healthcheck", ""),
    "# HELP kubernetes_healthchecks_total [STABLE] This metric records the results of all healthcheck.\n",
    "# TYPE kubernetes_healthchecks_total counter\n",
    lines("kubernetes_healthchecks_total", ',status="success"'),
  ].join("");
}

/**
 * Serves `/healthz`, `/livez` and `/readyz`, and the paths of their individual checks.
 *
 * @param checks checks that may fail; all others always pass
 *
 * @see apiserver pkg/server/healthz
 */
export function serveHealth(request: ApiRequest, checks: readonly ServerHealthCheck[]): boolean {
  const [, endpoint = "", ...rest] = request.info.path.split("/");
  if (!isEndpoint(endpoint)) return false;
  const problems = new Map(checks.map(({ name, check }) => [name, check()] as const));
  const one = rest.join("/");
  if (rest.length === 0) serveAll(request, endpoint, problems);
  else if (checkNames[endpoint].includes(one)) serveOne(request, problems.get(one));
  else return false;
  return true;
}

function serveOne(request: ApiRequest, problem: string | undefined): void {
  if (problem === undefined) sendText(request, 200, "ok", "text/plain; charset=utf-8");
  else sendPlainText(request, 500, `internal server error: ${problem}\n`);
}

function serveAll(request: ApiRequest, endpoint: Endpoint, problems: ReadonlyMap<string, string | undefined>): void {
  const excluded = new Set(request.query.getAll("exclude").filter((name) => name !== ""));
  const unmatched = new Set(excluded);
  let failed = false;
  let text = "";
  for (const name of checkNames[endpoint]) {
    unmatched.delete(name);
    const isBroken = problems.get(name) !== undefined;
    if (excluded.has(name)) text += `[+]${name} excluded: ok\n`;
    else if (isBroken) text += `[-]${name} failed: reason withheld\n`;
    else text += `[+]${name} ok\n`;
    failed ||= isBroken && !excluded.has(name);
  }
  if (unmatched.size > 0)
    text += `warn: some health checks cannot be excluded: no matches for ${[...unmatched].map(quote).join(",")}\n`;
  if (failed) sendPlainText(request, 500, `${text}${endpoint} check failed\n`);
  else if (request.query.has("verbose")) sendPlainText(request, 200, `${text}${endpoint} check passed\n`);
  else sendPlainText(request, 200, "ok");
}
