/**
 * Text as stored by a CNF. CNFs store all values as text, even numbers and booleans (`0`, `1`). Empty and absent fields
 * are equivalent.
 */
export type UciText = string;

/**
 * A network in a policy. On the CNF, it is a `member` section named `<policy>_<interface>` in the UCI configuration
 * `mwan3`.
 */
export interface Mwan3Member {
  /** Name of an mwan3 interface section. */
  readonly interface: UciText;
  /** Priority of the network, above 0. Networks with lower numbers are used first. */
  readonly metric: UciText;
  /** Share of the traffic among the members with the same metric, above 0. */
  readonly weight: UciText;
}

/**
 * Distributes traffic among networks. On the CNF, it is a `policy` section in the UCI configuration `mwan3`. No two
 * members may have the same interface. A policy that a rule refers to cannot be deleted.
 */
export interface Mwan3Policy {
  readonly name: string;
  readonly members: readonly Mwan3Member[];
}

/** Assigns traffic to a policy. On the CNF, it is a `rule` section in the UCI configuration `mwan3`. */
export interface Mwan3Rule {
  readonly name: string;
  /** Name of a policy. */
  readonly policy: UciText;
  readonly src_ip?: UciText | undefined;
  readonly src_port?: UciText | undefined;
  readonly dest_ip?: UciText | undefined;
  readonly dest_port?: UciText | undefined;
  readonly proto?: UciText | undefined;
  readonly family?: UciText | undefined;
  /** `1` if all connections from one source must use the same network. */
  readonly sticky?: UciText | undefined;
  /** Duration in seconds for which a source keeps using the same network. */
  readonly timeout?: UciText | undefined;
}

/**
 * Groups networks for the firewall. On the CNF, it is a `zone` section in the UCI configuration `firewall`. A zone that
 * a rule, forwarding or redirect refers to cannot be deleted.
 */
export interface FirewallZone {
  /** Name of the zone, with at most 11 characters. */
  readonly name: string;
  /** Names of UCI network sections. */
  readonly network?: readonly UciText[] | null | undefined;
  readonly masq?: UciText | undefined;
  readonly masq_src?: readonly UciText[] | null | undefined;
  readonly masq_dest?: readonly UciText[] | null | undefined;
  readonly masq_allow_invalid?: UciText | undefined;
  readonly mtu_fix?: UciText | undefined;
  readonly input?: UciText | undefined;
  readonly forward?: UciText | undefined;
  readonly output?: UciText | undefined;
  readonly family?: UciText | undefined;
  readonly subnet?: readonly UciText[] | null | undefined;
  readonly extra_src?: UciText | undefined;
  /** Extra arguments for the destination. The CNF's API misspells the name of this field. */
  readonly etra_dest?: UciText | undefined;
}

/**
 * A rule for the firewall or the network firewall. In the firewall, `src` and `dest` are zones; in the network
 * firewall, they are interfaces.
 */
export interface FirewallRule {
  readonly name: string;
  readonly src?: UciText | undefined;
  readonly src_ip?: UciText | undefined;
  readonly src_mac?: UciText | undefined;
  readonly src_port?: UciText | undefined;
  readonly proto?: UciText | undefined;
  readonly icmp_type?: readonly UciText[] | null | undefined;
  readonly dest?: UciText | undefined;
  readonly dest_ip?: UciText | undefined;
  readonly dest_port?: UciText | undefined;
  readonly mark?: UciText | undefined;
  readonly target?: UciText | undefined;
  readonly set_mark?: UciText | undefined;
  readonly set_xmark?: UciText | undefined;
  readonly family?: UciText | undefined;
  readonly extra?: UciText | undefined;
}

/**
 * A rule for the network firewall. `src_val` and `dest_val` are the interfaces that the CNF derived from `src` and
 * `dest`.
 */
export interface NetworkFirewallRule extends FirewallRule {
  readonly src_val?: UciText | undefined;
  readonly dest_val?: UciText | undefined;
}

/**
 * Allows traffic from zone `src` to zone `dest`. On the CNF, it is a `forwarding` section in the UCI configuration
 * `firewall`.
 */
export interface FirewallForwarding {
  readonly name: string;
  readonly src: UciText;
  readonly dest: UciText;
  readonly family?: UciText | undefined;
}

/**
 * Rewrites addresses. The target `SNAT` rewrites the source and requires `src_dip` and `dest`; the target `DNAT`
 * rewrites the destination and requires `src`. `src` and `dest` are zones. On the CNF, it is a `redirect` section in
 * the UCI configuration `firewall`.
 */
export interface FirewallRedirect {
  readonly name: string;
  readonly src?: UciText | undefined;
  readonly src_ip?: UciText | undefined;
  readonly src_dip?: UciText | undefined;
  readonly src_mac?: UciText | undefined;
  readonly src_port?: UciText | undefined;
  readonly src_dport?: UciText | undefined;
  readonly proto?: UciText | undefined;
  readonly dest?: UciText | undefined;
  readonly dest_ip?: UciText | undefined;
  readonly dest_port?: UciText | undefined;
  readonly mark?: UciText | undefined;
  readonly target?: UciText | undefined;
  readonly family?: UciText | undefined;
}

/**
 * Rewrites addresses with iptables, for interfaces instead of zones. With the target `DNAT`, `src_dip` and `src_dport`
 * are the original destination, and `dest_ip` and `dest_port` are the new one. On the CNF, it is a `nat` section in the
 * UCI configuration `firewall-nat`.
 */
export interface Nat {
  readonly name: string;
  readonly src?: UciText | undefined;
  readonly src_ip?: UciText | undefined;
  readonly src_dip?: UciText | undefined;
  readonly src_port?: UciText | undefined;
  readonly src_dport?: UciText | undefined;
  readonly proto?: UciText | undefined;
  readonly dest?: UciText | undefined;
  readonly dest_ip?: UciText | undefined;
  readonly dest_port?: UciText | undefined;
  readonly target?: UciText | undefined;
  /** Position in the chain, counted from 1. If it is absent or `0`, the rule is added at the end. */
  readonly index?: UciText | undefined;
}

/**
 * Algorithms to offer to a peer. On the CNF, it is a `proposal` section in the UCI configuration `ipsec`. A proposal
 * that a remote or connection refers to cannot be deleted.
 */
export interface IpsecProposal {
  readonly name: string;
  readonly encryption_algorithm?: UciText | undefined;
  readonly hash_algorithm?: UciText | undefined;
  readonly dh_group?: UciText | undefined;
}

/**
 * A connection between a CNF and a peer. On the CNF, it is a `tunnel` or `transport` section in the UCI configuration
 * `ipsec`. No other section in this configuration may have the same name.
 */
export interface IpsecConnection {
  readonly name: string;
  /** Type of the connection: `tunnel` or `transport`. */
  readonly conn_type: UciText;
  /** Condition for establishing the connection. `start`: immediately; `route`: on the first traffic; `add`: when the peer initiates it. */
  readonly mode: UciText;
  readonly local_subnet?: UciText | undefined;
  readonly local_nat?: UciText | undefined;
  readonly local_sourceip?: UciText | undefined;
  readonly local_updown?: UciText | undefined;
  readonly local_firewall?: UciText | undefined;
  readonly remote_subnet?: UciText | undefined;
  readonly remote_sourceip?: UciText | undefined;
  readonly remote_updown?: UciText | undefined;
  readonly remote_firewall?: UciText | undefined;
  readonly crypto_proposal?: readonly UciText[] | null | undefined;
  readonly mark?: UciText | undefined;
  readonly if_id?: UciText | undefined;
}

/**
 * A peer, given by its address or `%any`, and the connections with it. On the CNF, it is a `remote` section in the UCI
 * configuration `ipsec`. The authentication method `psk` requires the pre-shared key, and `pubkey` requires all three
 * certificates.
 */
export interface IpsecRemote {
  readonly name: string;
  readonly type?: UciText | undefined;
  readonly gateway: UciText;
  /** Switch that the CNF sets if the field is absent. */
  readonly enabled?: UciText | undefined;
  /** The pre-shared key, which is a secret. */
  readonly pre_shared_key?: UciText | undefined;
  readonly authentication_method?: UciText | undefined;
  readonly local_identifier?: UciText | undefined;
  readonly remote_identifier?: UciText | undefined;
  readonly crypto_proposal?: readonly UciText[] | null | undefined;
  readonly force_crypto_proposal?: UciText | undefined;
  /** Certificates in base64, joined with `___`. The reference CNF returns garbled text in this field. */
  readonly local_public_cert?: UciText | undefined;
  /** Private key, in the same format as `local_public_cert`. It is a secret. */
  readonly local_private_cert?: UciText | undefined;
  readonly shared_ca?: UciText | undefined;
  readonly connections?: readonly IpsecConnection[] | null | undefined;
}

/**
 * A route on the CNF, set with `ip route`. On the CNF, it is a `route` section in the UCI configuration `route-cnf`.
 */
export interface Route {
  readonly name: string;
  readonly dst: UciText;
  readonly src?: UciText | undefined;
  readonly gw?: UciText | undefined;
  /** Name of an interface. `#default` means the interface of the default route, and `#<ip>` the interface with that address. */
  readonly dev: UciText;
  /** The interface that the CNF derived from `dev`. */
  readonly dev_val?: UciText | undefined;
  readonly table?: UciText | undefined;
}

/**
 * Assigns traffic to a routing table with `ip rule`. `src` or `dst` is required. On the CNF, it is a `rule` section in
 * the UCI configuration `rule-cnf`.
 */
export interface RoutingRule {
  readonly name: string;
  readonly src?: UciText | undefined;
  readonly dst?: UciText | undefined;
  /** True to negate the rule: it then matches all traffic except the traffic that the other fields describe. */
  readonly flag?: boolean | undefined;
  readonly prio?: UciText | undefined;
  readonly fwmark?: UciText | undefined;
  readonly table?: UciText | undefined;
}

/**
 * Pods whose traffic uses table 40, the CNF's own routing table. The CNF adds an `ip rule` for each address. On the
 * CNF, it is a `rule` section in the UCI configuration `app-cnf`.
 */
export interface Application {
  readonly name: string;
  /** IPv4 addresses of the pods, joined with `,`. If absent, the object is stored, but has no effect. */
  readonly iplist?: UciText | undefined;
}

/**
 * A service in the cluster that clients reach through a TCP port on the CNF. Stored in the file `/etc/sdewan_svc.info`.
 * The name is resolved when the object is created.
 */
export interface ServiceForwarding {
  readonly name: string;
  /** DNS name of the service. */
  readonly fullname: UciText;
  /** Port of the CNF, from 1 to 65534. */
  readonly port: UciText;
  /** Port of the service, from 1 to 65534. */
  readonly dport: UciText;
}

/**
 * A network interface of the CNF, as shown by `ifconfig`. `lo` is never listed; on the reference CNF, only interfaces
 * that are up are listed.
 */
export interface NetworkInterface {
  readonly name: string;
  readonly status: "UP" | "DOWN";
  readonly ip_address?: readonly string[] | undefined;
  /** IPv6 addresses with prefix lengths. */
  readonly ip6_address?: readonly string[] | undefined;
  readonly mac_address?: string | undefined;
  /** Number of received packets, in decimal. */
  readonly received_packets?: string | undefined;
  readonly send_packets?: string | undefined;
}

/** Response from one status module. */
export interface ModuleStatus {
  readonly name: string;
  /** Status as the module returns it. Absent if the CNF has no data. */
  readonly status?: unknown;
}
