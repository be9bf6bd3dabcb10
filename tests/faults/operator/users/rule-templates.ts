import { cnfName } from "sdewan-operator";
import { keyOf } from "./keys.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Values that the object of a rule may depend on. */
interface Surroundings {
  /** Returns the addresses of the pods with a label `app`. */
  readonly addressesOf: (app: string) => readonly string[];
  /** Returns the text of a key of a Secret; undefined if it does not exist. */
  readonly secret: (name: string, key: string) => string | undefined;
}

/**
 * The objects of one rule kind as users write them, and the expected object on a CNF, written by hand instead of using the operator's own
 * conversion.
 */
export interface RuleTemplate {
  readonly kind: string;
  readonly path: string;
  readonly names: readonly string[];
  /** True if the operator keeps the objects of this kind in order. */
  readonly isOrdered?: true;
  /** @param variant any number */
  spec(variant: number, name: string): Fields;
  /** Without its name. */
  record(spec: Fields, around: Surroundings): Fields;
  /** Returns the objects that it refers to: kind and name. */
  readonly refers?: (spec: Fields) => readonly (readonly [kind: string, name: string])[];
  /** Fields that a person changes on the CNF. */
  readonly tampered: Fields;
  /** Returns further names that it uses, among kinds that share them. */
  readonly partNames?: (spec: Fields) => readonly string[];
}

const zones = ["wan", "lan-zone-of-branch"];
const policies = ["balance", "back-up"];
const proposals = ["strong", "fast-one"];

const one = <T>(values: readonly T[], variant: number): T => values[variant % values.length] as T;
const zone = (name: unknown): string => cnfName("FirewallZone", String(name));
const text = (value: unknown): string => String(value);
const interfaceOf = (network: unknown): string => text(network).replace(/^ovn-/, "");

const networkRules = ["block-dns", "block-ntp", "any-udp", "allow-dns"];
const nats = ["dashboard", "svc-anat", "svc-bnat0", "api"];
/** Returns a port that no other name has: iptables cannot distinguish equal rules, so a deletion of one may remove another. */
const portOf = (first: number, variant: number, names: readonly string[], name: string): string =>
  `${first + variant + 10 * names.indexOf(name)}`;

const redirects = "firewall/v1/redirects";
const remotes = "ipsec/v1/remotes";

const remoteRecord = (spec: Fields): Fields => {
  const { remote, crypto_proposal, connections, preSharedKeySecretRef: _ref, ...others } = spec;
  const named = (connections as readonly Fields[]).map(({ name, ...rest }) => ({
    ...rest,
    name: cnfName("IpsecConnection", text(name)),
  }));
  const proposal = (crypto_proposal as readonly string[]).map((each) => cnfName("IpsecProposal", each));
  return { ...others, gateway: remote, crypto_proposal: proposal, connections: named };
};

const proposalOf = ({ crypto_proposal }: Fields): readonly (readonly [string, string])[] =>
  (crypto_proposal as readonly string[]).map((name) => ["IpsecProposal", name] as const);

/** In the order of their references. */
export const ruleTemplates: readonly RuleTemplate[] = [
  {
    kind: "FirewallZone",
    path: "firewall/v1/zones",
    names: zones,
    isOrdered: true,
    spec: (variant) => ({
      network: ["ovn-net1"],
      input: one(["ACCEPT", "DROP"], variant),
      masq: one(["0", "1"], variant),
    }),
    record: ({ network, ...others }) => ({ ...others, network: (network as string[]).map(interfaceOf) }),
    tampered: { input: "REJECT" },
  },
  {
    kind: "Mwan3Policy",
    path: "mwan3/v1/policies",
    names: policies,
    spec: (variant) => ({
      members: [{ network: one(["ovn-net1", "ovn-net2"], variant), metric: 1 + variant, weight: 2 }],
    }),
    record: ({ members }) => ({
      members: (members as readonly Fields[]).map(({ network, metric, weight }) => ({
        interface: interfaceOf(network),
        metric: text(metric),
        weight: text(weight),
      })),
    }),
    tampered: { members: [{ interface: "net1", metric: "77", weight: "77" }] },
  },
  {
    kind: "IpsecProposal",
    path: "ipsec/v1/proposals",
    names: proposals,
    spec: (variant) => ({
      encryption_algorithm: one(["aes128", "aes256"], variant),
      hash_algorithm: "sha256",
      dh_group: "modp3072",
    }),
    record: (spec) => spec,
    tampered: { hash_algorithm: "sha512" },
  },
  {
    kind: "Mwan3Rule",
    path: "mwan3/v1/rules",
    names: ["web", "mail-out", "any", "backup"],
    isOrdered: true,
    spec: (variant) => ({
      policy: one(policies, variant),
      src_ip: "",
      src_port: "",
      dest_ip: `198.51.100.${variant}`,
      dest_port: "443",
      proto: "tcp",
      family: "ipv4",
      sticky: "0",
      timeout: "",
    }),
    record: ({ policy, ...others }) => ({ ...others, policy: cnfName("Mwan3Policy", text(policy)) }),
    refers: ({ policy }) => [["Mwan3Policy", text(policy)]],
    tampered: { dest_port: "8443" },
  },
  {
    kind: "FirewallRule",
    path: "firewall/v1/rules",
    names: ["no-telnet", "no-ping", "allow-all", "deny-all", "mgmt"],
    isOrdered: true,
    spec: (variant) => ({ src: one(zones, variant), proto: "tcp", dest_port: `${23 + variant}`, target: "DROP" }),
    record: ({ src, ...others }) => ({ ...others, src: zone(src) }),
    refers: ({ src }) => [["FirewallZone", text(src)]],
    tampered: { target: "ACCEPT" },
  },
  {
    kind: "FirewallForwarding",
    path: "firewall/v1/forwardings",
    names: ["out", "over"],
    spec: (variant) => ({ src: one(zones, variant), dest: one(zones, variant + 1) }),
    record: ({ src, dest }) => ({ src: zone(src), dest: zone(dest) }),
    refers: ({ src, dest }) => [src, dest].map((name) => ["FirewallZone", text(name)] as const),
    tampered: { family: "ipv6" },
  },
  {
    kind: "FirewallSNAT",
    path: redirects,
    names: ["shared", "masked", "hidden"],
    isOrdered: true,
    spec: (variant) => ({ src_dip: `192.0.2.${1 + variant}`, dest: one(zones, variant) }),
    record: ({ dest, ...others }) => ({ ...others, dest: zone(dest), target: "SNAT" }),
    refers: ({ dest }) => [["FirewallZone", text(dest)]],
    tampered: { src_dip: "192.0.2.250" },
  },
  {
    kind: "FirewallDNAT",
    path: redirects,
    names: ["shared", "inward", "game"],
    isOrdered: true,
    spec: (variant) => ({
      src: one(zones, variant),
      src_dport: `${8_000 + variant}`,
      proto: "tcp",
      dest_ip: "10.1.2.3",
    }),
    record: ({ src, ...others }) => ({ ...others, src: zone(src), target: "DNAT" }),
    refers: ({ src }) => [["FirewallZone", text(src)]],
    tampered: { dest_ip: "10.1.2.99" },
  },
  {
    kind: "IpsecHost",
    path: remotes,
    names: ["hub-1", "peer"],
    spec: (variant, name) => ({
      type: "policy-based",
      remote: `203.0.113.${1 + variant}`,
      authentication_method: "psk",
      ...(variant % 3 === 0
        ? { pre_shared_key: keyOf(`in-spec-${variant}`) }
        : { preSharedKeySecretRef: { name: one(["psk-a", "psk-b"], variant), key: "psk" } }),
      crypto_proposal: [one(proposals, variant)],
      connections: [{ name: `${name}-c`, conn_type: "tunnel", mode: "start", local_sourceip: "%config" }],
    }),
    record: (spec, { secret }) => {
      const { preSharedKeySecretRef: ref } = spec;
      const named = ref as { readonly name: string; readonly key: string } | undefined;
      const pre_shared_key = named ? secret(named.name, named.key) : spec.pre_shared_key;
      return { ...remoteRecord(spec), pre_shared_key };
    },
    refers: proposalOf,
    partNames: ({ connections }) =>
      (connections as readonly Fields[]).map(({ name }) => cnfName("IpsecConnection", text(name))),
    tampered: { gateway: "203.0.113.250" },
  },
  {
    kind: "IpsecSite",
    path: remotes,
    names: ["peer", "branch.one"],
    spec: (variant, name) => ({
      remote: "%any",
      authentication_method: "pubkey",
      local_public_cert: Buffer.from(`public ${variant}`).toString("base64"),
      local_private_cert: Buffer.from(keyOf(`private-${variant}`)).toString("base64"),
      shared_ca: Buffer.from("ca").toString("base64"),
      crypto_proposal: [one(proposals, variant)],
      connections: [{ name: `${name}-s`, conn_type: "tunnel", mode: "start", local_subnet: `10.9.${variant}.0/24` }],
    }),
    record: remoteRecord,
    refers: proposalOf,
    partNames: ({ connections }) =>
      (connections as readonly Fields[]).map(({ name }) => cnfName("IpsecConnection", text(name))),
    tampered: { gateway: "203.0.113.251" },
  },
  {
    kind: "NetworkFirewallRule",
    path: "networkfirewall/v1/rules",
    names: networkRules,
    isOrdered: true,
    spec: (variant, name) => ({
      src: "#default",
      proto: "udp",
      dest_port: portOf(53, variant, networkRules, name),
      target: "DROP",
    }),
    record: (spec) => spec,
    tampered: { target: "ACCEPT" },
  },
  {
    kind: "CNFNAT",
    path: "nat/v1/nats",
    names: nats,
    isOrdered: true,
    // With an index, several have the same port, so the first of them applies.
    spec: (variant, name) => ({
      src_dport: variant < 2 ? portOf(9_443, variant, nats, name) : `${9_543 + (variant % 2)}`,
      proto: "tcp",
      dest_ip: `10.96.33.${1 + nats.indexOf(name)}`,
      dest_port: "443",
      target: "DNAT",
      index: variant < 2 ? "0" : "2",
    }),
    record: (spec) => spec,
    tampered: { dest_ip: "10.96.33.99" },
  },
  {
    kind: "CNFRoute",
    path: "route/v1/routes",
    names: ["to-shop", "site-aroute0"],
    spec: (variant, name) => ({
      dst: `172.${name.length}.${variant}.0/24`,
      dev: one(["net1", "net2"], variant),
      table: "cnf",
    }),
    record: (spec) => spec,
    tampered: { dst: "172.99.0.0/16" },
  },
  {
    kind: "CNFRouteRule",
    path: "rule/v1/rules",
    names: ["from-shop", "from-till"],
    spec: (variant, name) => ({
      src: `172.20.${name.length}.0/24`,
      not: variant % 2 === 0,
      prio: `${650 + variant}`,
      table: "40",
    }),
    record: ({ not, ...others }) => ({ ...others, flag: not }),
    tampered: { prio: "777" },
  },
  {
    kind: "SdewanApplication",
    path: "application/v1/applications",
    names: ["shop", "till-app"],
    spec: (variant) => ({
      appNamespace: "site",
      podSelector: { matchLabels: { app: one(["shop", "till"], variant) } },
    }),
    record: ({ podSelector }, { addressesOf }) => {
      const { matchLabels } = podSelector as { readonly matchLabels: { readonly app: string } };
      return { iplist: addressesOf(matchLabels.app).join(",") };
    },
    tampered: { iplist: "10.66.66.66" },
  },
];

/** @throws {Error} if the kind is unknown */
export function templateOf(kind: string): RuleTemplate {
  const found = ruleTemplates.find((template) => template.kind === kind);
  if (!found) throw new Error(`${kind} is not a rule kind`);
  return found;
}
