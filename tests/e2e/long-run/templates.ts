import type { Kind, KubeObject } from "@kubewright/apimachinery";
import { compositeKind, type RuleKindName, ruleKind, type Spec } from "../harness/rules.ts";

/** An object that clients write, in its serialized form. */
export interface WrittenObject extends KubeObject {
  spec?: Spec;
  status?: Readonly<Record<string, unknown>>;
}

/** A kind of object that clients write during a long run. */
export interface Template {
  readonly kind: Kind<WrittenObject>;
  /** Beginning of the objects' names. CNFs shorten names of more than eleven characters. */
  readonly prefix: string;
  /** @param n a number that no other write has, so that no two specs are equal */
  spec(n: number): Spec;
  /** The object on a CNF. Default: none, because the object is not for a CNF. */
  readonly onCnf?: {
    readonly collection: string;
    /** Default: the name of the object. */
    readonly nameOf?: (name: string) => string;
    /** Returns the fields that the CNF must have for a spec. */
    readonly shows: (spec: Spec) => Spec;
  };
}

/** Address of every service that the operator looks up during a run. */
export const serviceAddress = "10.96.0.7";

const port = (n: number): string => `${1_024 + (n % 60_000)}`;
const network = (n: number): string => `10.${(n >> 8) & 255}.${n & 255}.0/24`;
const same = (spec: Spec): Spec => spec;

const rule = (
  kind: RuleKindName,
  prefix: string,
  collection: string,
  spec: (n: number) => Spec,
  shows: (spec: Spec) => Spec = same,
): Template => ({ kind: ruleKind(kind), prefix, spec, onCnf: { collection, shows } });

/** Resources of the operator. None of them refers to another one, so clients may delete them in any order. */
export const operatorTemplates: readonly Template[] = [
  rule("FirewallRule", "fr", "firewall/v1/rules", (n) => ({ proto: "tcp", dest_port: port(n), target: "DROP" })),
  rule(
    "FirewallZone",
    "fz",
    "firewall/v1/zones",
    (n) => ({ network: ["net-a"], input: "ACCEPT", masq: "1", masq_src: [`!${network(n)}`] }),
    (spec) => ({ ...spec, network: ["net1"] }),
  ),
  rule("NetworkFirewallRule", "nf", "networkfirewall/v1/rules", (n) => ({
    ...{ src: "net1", proto: "udp", dest_port: port(n), target: "DROP" },
  })),
  rule("CNFNAT", "cn", "nat/v1/nats", (n) => ({
    ...{ src_dport: port(n), proto: "tcp", dest_ip: "10.96.33.3", dest_port: "443", target: "DNAT", index: "0" },
  })),
  rule("CNFRoute", "cr", "route/v1/routes", (n) => ({
    ...{ dst: network(n), gw: "172.16.30.1", dev: "net1", table: "cnf" },
  })),
  rule(
    "CNFRouteRule",
    "rr",
    "rule/v1/rules",
    (n) => ({ src: network(n), not: n % 2 === 0, prio: "650", table: "40" }),
    ({ not, ...others }) => ({ ...others, flag: not }),
  ),
  rule(
    "Mwan3Policy",
    "mp",
    "mwan3/v1/policies",
    (n) => ({ members: [{ network: "net-a", metric: 1, weight: 1 + n }] }),
    (spec) => {
      const [{ weight } = { weight: 0 }] = spec.members as readonly { readonly weight: number }[];
      return { members: [{ interface: "net1", metric: "1", weight: String(weight) }] };
    },
  ),
  {
    kind: compositeKind("CNFService"),
    prefix: "cs",
    spec: (n) => ({ fullname: "shop.example", port: port(n), dport: "80" }),
    onCnf: {
      collection: "nat/v1/nats",
      nameOf: (name) => `${name}nat`,
      shows: ({ port, dport }) => ({ src_dport: port, dest_ip: serviceAddress, dest_port: dport, target: "DNAT" }),
    },
  },
];

export const jobImage = "long-run/job";
const containers = [{ name: "job", image: `${jobImage}:1` }];

/** The CronJobs of example 08, in the version that it stores. Two in three start a Job every minute. */
export const cronJobTemplate: Template = {
  kind: { group: "batch.tutorial.kubewright.dev", version: "v1", kind: "CronJob" },
  prefix: "cj",
  spec: (n) => ({
    schedule: "* * * * *",
    suspend: n % 3 === 0,
    startingDeadlineSeconds: 300 + n,
    successfulJobsHistoryLimit: 2,
    jobTemplate: { spec: { template: { spec: { containers } } } },
  }),
};

export const templates: readonly Template[] = [...operatorTemplates, cronJobTemplate];
