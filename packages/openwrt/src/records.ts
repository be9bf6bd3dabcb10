/** A CNF stores everything as text, including numbers and switches (`0`, `1`). Empty and absent fields are equivalent. */
export type UciText = string;

/** A network of a policy. On the CNF, it is a section `member` of UCI `mwan3` with the name `<policy>_<interface>`. */
export interface Mwan3Member {
  /** Name of an mwan3 interface section. */
  readonly interface: UciText;
  /** Priority above 0. Networks with lower numbers are used first. */
  readonly metric: UciText;
  /** Share of the traffic among members with the same metric. Above 0. */
  readonly weight: UciText;
}

/**
 * Shares traffic between networks. UCI `mwan3`, section `policy`. Two members must not name the same interface, and a policy that a rule
 * names cannot be deleted.
 */
export interface Mwan3Policy {
  readonly name: string;
  readonly members: readonly Mwan3Member[];
}

/** Assigns traffic to a policy. UCI `mwan3`, section `rule`. */
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
  /** `1`: all connections from one source use the same network. */
  readonly sticky?: UciText | undefined;
  /** Duration of stickiness, in seconds. */
  readonly timeout?: UciText | undefined;
}

/** Groups networks for the firewall. UCI `firewall`, section `zone`. A zone that a rule, forwarding or redirect names cannot be deleted. */
export interface FirewallZone {
  /** At most 11 characters. */
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
  /** Spelled like this by the CNF. */
  readonly etra_dest?: UciText | undefined;
}

/** A rule of the firewall, with zones as `src` and `dest`, or of the network firewall, with interfaces. */
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

/** `src_val` and `dest_val` are the interfaces that the CNF derived from `src` and `dest`. */
export interface NetworkFirewallRule extends FirewallRule {
  readonly src_val?: UciText | undefined;
  readonly dest_val?: UciText | undefined;
}

/** Allows traffic from zone `src` to zone `dest`. UCI `firewall`, section `forwarding`. */
export interface FirewallForwarding {
  readonly name: string;
  readonly src: UciText;
  readonly dest: UciText;
  readonly family?: UciText | undefined;
}

/**
 * Rewrites addresses: the source with target `SNAT`, which needs `src_dip` and `dest`; the destination with `DNAT`, which needs `src`. `src` and
 * `dest` are zones. UCI `firewall`, section `redirect`.
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
 * Rewrites addresses with iptables, on interfaces rather than zones. With target `DNAT`, `src_dip` and `src_dport` are the original
 * destination, `dest_ip` and `dest_port` the new one. UCI `firewall-nat`, section `nat`.
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
  /** Position in the chain, beginning at 1. If absent or `0`, the rule is added at the end. */
  readonly index?: UciText | undefined;
}

/** Algorithms to offer to a peer. UCI `ipsec`, section `proposal`. A proposal that a remote or connection names cannot be deleted. */
export interface IpsecProposal {
  readonly name: string;
  readonly encryption_algorithm?: UciText | undefined;
  readonly hash_algorithm?: UciText | undefined;
  readonly dh_group?: UciText | undefined;
}

/**
 * A connection between a CNF and a peer. UCI `ipsec`, a section of type `tunnel` or `transport` with a name that no other section there
 * has.
 */
export interface IpsecConnection {
  readonly name: string;
  /** `tunnel` or `transport`. */
  readonly conn_type: UciText;
  /** `start`: the CNF brings the connection up immediately; `route`: the first traffic does; `add`: only the peer does. */
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
 * A peer, given by its address or `%any`, and the connections with it. UCI `ipsec`, section `remote`. `psk` needs the key, `pubkey` all
 * three certificates.
 */
export interface IpsecRemote {
  readonly name: string;
  readonly type?: UciText | undefined;
  readonly gateway: UciText;
  /** Set by the CNF if absent. */
  readonly enabled?: UciText | undefined;
  /** A secret. */
  readonly pre_shared_key?: UciText | undefined;
  readonly authentication_method?: UciText | undefined;
  readonly local_identifier?: UciText | undefined;
  readonly remote_identifier?: UciText | undefined;
  readonly crypto_proposal?: readonly UciText[] | null | undefined;
  readonly force_crypto_proposal?: UciText | undefined;
  /** Certificates in base64, joined with `___`. The reference CNF returns unreadable text in this field. */
  readonly local_public_cert?: UciText | undefined;
  /** Secret, in the same format as `local_public_cert`. */
  readonly local_private_cert?: UciText | undefined;
  readonly shared_ca?: UciText | undefined;
  readonly connections?: readonly IpsecConnection[] | null | undefined;
}

/** A route of the CNF, set with `ip route`. UCI `route-cnf`, section `route`. */
export interface Route {
  readonly name: string;
  readonly dst: UciText;
  readonly src?: UciText | undefined;
  readonly gw?: UciText | undefined;
  /** Interface, `#default` or `#<ip>`. */
  readonly dev: UciText;
  /** The interface that the CNF derived from `dev`. */
  readonly dev_val?: UciText | undefined;
  readonly table?: UciText | undefined;
}

/** Assigns traffic to a routing table with `ip rule`. UCI `rule-cnf`, section `rule`. Needs `src` or `dst`. */
export interface RoutingRule {
  readonly name: string;
  readonly src?: UciText | undefined;
  readonly dst?: UciText | undefined;
  /** True to match all other traffic. */
  readonly flag?: boolean | undefined;
  readonly prio?: UciText | undefined;
  readonly fwmark?: UciText | undefined;
  readonly table?: UciText | undefined;
}

/** Pods whose traffic uses the CNF's own routing table, 40, with one `ip rule` for each address. UCI `app-cnf`, section `rule`. */
export interface Application {
  readonly name: string;
  /** IPv4 addresses joined with `,`. If absent, the object is stored without effect. */
  readonly iplist?: UciText | undefined;
}

/**
 * A service of the cluster that clients reach through a TCP port of the CNF. Stored in the file `/etc/sdewan_svc.info`. The name is
 * resolved when the object is created.
 */
export interface ServiceForwarding {
  readonly name: string;
  /** DNS name of the service. */
  readonly fullname: UciText;
  /** Port of the CNF, 1 to 65534. */
  readonly port: UciText;
  /** Port of the service, 1 to 65534. */
  readonly dport: UciText;
}

/** An interface of the CNF as shown by `ifconfig`. `lo` is not listed. On the reference CNF, only interfaces that are up are listed. */
export interface NetworkInterface {
  readonly name: string;
  readonly status: "UP" | "DOWN";
  readonly ip_address?: readonly string[] | undefined;
  /** With prefix lengths. */
  readonly ip6_address?: readonly string[] | undefined;
  readonly mac_address?: string | undefined;
  /** A decimal number. */
  readonly received_packets?: string | undefined;
  readonly send_packets?: string | undefined;
}

/** Response of one status module. */
export interface ModuleStatus {
  readonly name: string;
  /** Absent if the CNF has no data. */
  readonly status?: unknown;
}
