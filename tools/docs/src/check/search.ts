import { globSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import MiniSearch from "minisearch";
import { searchOptions } from "../../theme/search.ts";

/** Number of results that a reader looks at. */
const looked = 6;

/** A built search index. */
export interface Index {
  /** Returns the addresses of the sections that match, best first. */
  search(words: string): readonly string[];
}

/** Reads the search index of the built site as its pages do. @throws {Error} if the site has none */
export async function indexOf(site: string): Promise<Index> {
  const [file] = globSync("assets/chunks/@localSearchIndexroot.*.js", { cwd: site });
  if (file === undefined) throw new Error(`${site}: the site has no search index`);
  const { default: text } = (await import(pathToFileURL(join(site, file)).href)) as { default: string };
  const index = MiniSearch.loadJSON(text, { fields: ["title", "titles", "text"], storeFields: ["title", "titles"] });
  return { search: (words) => index.search(words, searchOptions).map(({ id }) => String(id)) };
}

/** Finds queries whose first results lack one of the pages that they must find. */
export function unfound(
  index: Index,
  expected: Readonly<Record<string, readonly string[]>> = queries,
): readonly string[] {
  return Object.entries(expected).flatMap(([words, pages]) => {
    const found = index.search(words).slice(0, looked);
    const missing = pages.filter((page) => !found.some((id) => id.split("#", 1)[0] === page));
    return missing.map(
      (page) => `the search for "${words}" does not find ${page}, but ${found.join(", ") || "nothing"}`,
    );
  });
}

/** Queries that readers type, and the pages that must be among the first results. */
export const queries: Readonly<Record<string, readonly string[]>> = {
  requeue: ["/guide/queues"],
  Conflict: ["/guide/troubleshooting"],
  secret: ["/guide/security"],
  helm: ["/guide/deploying"],
  finalizer: ["/guide/finalizers"],
  "owner reference": ["/guide/controllers"],
  webhook: ["/guide/webhooks"],
  certificate: ["/guide/certificates"],
  "cert-manager": ["/guide/certificates"],
  metrics: ["/guide/metrics"],
  prometheus: ["/guide/metrics"],
  rbac: ["/guide/rbac"],
  forbidden: ["/guide/rbac"],
  status: ["/guide/status-and-conditions"],
  condition: ["/guide/status-and-conditions"],
  event: ["/guide/events"],
  informer: ["/guide/caches"],
  cache: ["/guide/caches"],
  index: ["/guide/indexes"],
  queue: ["/guide/queues"],
  "retry backoff": ["/guide/queues"],
  "server-side apply": ["/guide/apply-or-update"],
  createOrUpdate: ["/guide/apply-or-update"],
  envtest: ["/guide/envtest"],
  test: ["/guide/testing"],
  kubebuilder: ["/start/coming-from", "/start/from-controller-runtime"],
  kopf: ["/start/coming-from", "/start/from-kopf"],
  "client-node": ["/start/client-node-scripts"],
  CRD: ["/guide/kinds"],
  conversion: ["/guide/versions"],
  "custom resource": ["/guide/kinds"],
  dockerfile: ["/guide/building"],
  upgrade: ["/guide/deploying"],
  deploy: ["/guide/deploying"],
  NetworkPolicy: ["/guide/deploying"],
  "requests per minute": ["/guide/platform"],
  logging: ["/guide/logging"],
  opentelemetry: ["/guide/traces"],
  grafana: ["/guide/metrics"],
  alert: ["/guide/alerts"],
  debug: ["/guide/debugging"],
  "npm create": ["/start/get-started"],
  "write a controller": ["/guide/controllers"],
  cronjob: ["/tutorial/cronjob"],
  "external system": ["/tutorial/external-device"],
  deprecated: ["/guide/stability"],
  "kubernetes version": ["/guide/kubernetes-versions"],
  "go test": ["/guide/go-tests"],
  "stale read": ["/guide/own-writes"],
  "kubewright simulate": ["/guide/simulate-programs"],
  "kubewright plan": ["/guide/plan"],
  terraform: ["/start/coming-from"],
  replay: ["/guide/replay"],
  "flight recorder": ["/guide/replay"],
  kwr: ["/guide/replay"],
  sieve: ["/start/coming-from"],
  acto: ["/start/coming-from"],
  simulate: ["/guide/simulation"],
  KUBEWRIGHT_SEED: ["/guide/simulation"],
  "killed between writes": ["/tutorial/break-it"],
  idempotent: ["/guide/simulation"],
  limits: ["/start/limits"],
  "control plane": ["/guide/control-plane"],
  "leader election": ["/guide/leader-election"],
  Lease: ["/guide/leader-election"],
  failover: ["/guide/leader-election"],
  predicate: ["/guide/watching"],
  "watch another kind": ["/guide/watching"],
  health: ["/guide/health"],
  readiness: ["/guide/health"],
  concurrency: ["/guide/concurrency"],
  maxConcurrentReconciles: ["/guide/concurrency"],
  "rate limit": ["/guide/concurrency"],
  shards: ["/guide/scaling"],
  "several replicas": ["/guide/scaling"],
  memory: ["/guide/platform"],
  "multi-cluster": ["/guide/multi-cluster"],
  "several clusters": ["/guide/multi-cluster"],
  security: ["/guide/security"],
  CEL: ["/guide/validation"],
  validation: ["/guide/validation"],
  immutable: ["/guide/validation"],
  "version policy": ["/guide/stability"],
  "breaking change": ["/guide/stability"],
  faq: ["/start/faq"],
  // What network engineers type.
  openwrt: ["/sdewan/"],
  "firewall rule order": ["/sdewan/order"],
  "first match": ["/sdewan/order"],
  "roll back a change": ["/sdewan/confirm"],
  "rule has no effect": ["/sdewan/no-effect"],
  "shadowed rule": ["/sdewan/no-effect"],
  "which rule decides": ["/sdewan/trace"],
  "trace connection": ["/sdewan/trace"],
  "plan change": ["/guide/plan"],
  "what would restart": ["/sdewan/plan"],
  "roll out in stages": ["/sdewan/stages"],
  "mwan3 interface offline": ["/sdewan/no-effect"],
  "ipsec tunnel down": ["/sdewan/alerts"],
  "cnf unreachable": ["/sdewan/alerts"],
  iptables: ["/sdewan/order-on-a-cnf", "/sdewan/order"],
  "firewall reload": ["/sdewan/order-on-a-cnf"],
  "nat index": ["/sdewan/order-on-a-cnf"],
  "two services same port": ["/sdewan/order"],
  "port forwarding": ["/sdewan/"],
  masquerade: ["/sdewan/"],
  "wan failover": ["/sdewan/"],
  "static route": ["/sdewan/"],
  sdewanPurpose: ["/sdewan/concepts"],
  "drift repair": ["/sdewan/day-two"],
  "changed by hand": ["/sdewan/day-two"],
  "backup resources": ["/sdewan/day-two"],
  "pause rule": ["/sdewan/day-two"],
  bucket: ["/sdewan/users-and-buckets"],
  "tunnel map": ["/sdewan/console"],
};
