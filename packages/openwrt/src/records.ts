/** Everything is text to a CNF, numbers and switches (`0`, `1`) too. Empty and absent fields mean the same. */
type Text = string;

/** A network of a policy. On the CNF it is a section `member` of UCI `mwan3`, named `<policy>_<interface>`. */
export interface Mwan3Member {
  /** Name of an mwan3 interface section. */
  readonly interface: Text;
  /** Above 0. Lower ones are used first. */
  readonly metric: Text;
  /** Above 0. Share among members of the same metric. */
  readonly weight: Text;
}

/**
 * Shares traffic between networks. UCI `mwan3`, section `policy`; no two members may name the same interface, and one that a rule names cannot
 * be deleted.
 */
export interface Mwan3Policy {
  readonly name: string;
  readonly members: readonly Mwan3Member[];
}

/** Which traffic a policy is for. UCI `mwan3`, section `rule`. */
export interface Mwan3Rule {
  readonly name: string;
  /** Name of a policy. */
  readonly policy: Text;
  readonly src_ip?: Text | undefined;
  readonly src_port?: Text | undefined;
  readonly dest_ip?: Text | undefined;
  readonly dest_port?: Text | undefined;
  readonly proto?: Text | undefined;
  readonly family?: Text | undefined;
  /** `1`: connections of a source keep to a network. */
  readonly sticky?: Text | undefined;
  /** Seconds, where it is sticky. */
  readonly timeout?: Text | undefined;
}

/** Groups networks for the firewall. UCI `firewall`, section `zone`; one that a rule, forwarding or redirect names cannot be deleted. */
export interface FirewallZone {
  /** At most 11 characters. */
  readonly name: string;
  /** Names of UCI network sections. */
  readonly network?: readonly Text[] | null | undefined;
  readonly masq?: Text | undefined;
  readonly masq_src?: readonly Text[] | null | undefined;
  readonly masq_dest?: readonly Text[] | null | undefined;
  readonly masq_allow_invalid?: Text | undefined;
  readonly mtu_fix?: Text | undefined;
  readonly input?: Text | undefined;
  readonly forward?: Text | undefined;
  readonly output?: Text | undefined;
  readonly family?: Text | undefined;
  readonly subnet?: readonly Text[] | null | undefined;
  readonly extra_src?: Text | undefined;
  /** Spelt as the CNF spells it. */
  readonly etra_dest?: Text | undefined;
}

/** A rule of the firewall, where `src` and `dest` are zones, or of the network firewall, where they are interfaces. */
export interface FirewallRule {
  readonly name: string;
  readonly src?: Text | undefined;
  readonly src_ip?: Text | undefined;
  readonly src_mac?: Text | undefined;
  readonly src_port?: Text | undefined;
  readonly proto?: Text | undefined;
  readonly icmp_type?: readonly Text[] | null | undefined;
  readonly dest?: Text | undefined;
  readonly dest_ip?: Text | undefined;
  readonly dest_port?: Text | undefined;
  readonly mark?: Text | undefined;
  readonly target?: Text | undefined;
  readonly set_mark?: Text | undefined;
  readonly set_xmark?: Text | undefined;
  readonly family?: Text | undefined;
  readonly extra?: Text | undefined;
}

/** `src_val` and `dest_val` are the interfaces that the CNF made of `src` and `dest`. */
export interface NetworkFirewallRule extends FirewallRule {
  readonly src_val?: Text | undefined;
  readonly dest_val?: Text | undefined;
}

/** Lets traffic pass from zone `src` to zone `dest`. UCI `firewall`, section `forwarding`. */
export interface FirewallForwarding {
  readonly name: string;
  readonly src: Text;
  readonly dest: Text;
  readonly family?: Text | undefined;
}

/**
 * Rewrites addresses: the source with target `SNAT`, which needs `src_dip` and `dest`; the destination with `DNAT`, which needs `src`. `src` and
 * `dest` are zones. UCI `firewall`, section `redirect`.
 */
export interface FirewallRedirect {
  readonly name: string;
  readonly src?: Text | undefined;
  readonly src_ip?: Text | undefined;
  readonly src_dip?: Text | undefined;
  readonly src_mac?: Text | undefined;
  readonly src_port?: Text | undefined;
  readonly src_dport?: Text | undefined;
  readonly proto?: Text | undefined;
  readonly dest?: Text | undefined;
  readonly dest_ip?: Text | undefined;
  readonly dest_port?: Text | undefined;
  readonly mark?: Text | undefined;
  readonly target?: Text | undefined;
  readonly family?: Text | undefined;
}

/**
 * Rewrites addresses by iptables, on interfaces rather than zones. With target `DNAT`, `src_dip` and `src_dport` are what traffic was sent to,
 * `dest_ip` and `dest_port` where it goes. UCI `firewall-nat`, section `nat`.
 */
export interface Nat {
  readonly name: string;
  readonly src?: Text | undefined;
  readonly src_ip?: Text | undefined;
  readonly src_dip?: Text | undefined;
  readonly src_port?: Text | undefined;
  readonly src_dport?: Text | undefined;
  readonly proto?: Text | undefined;
  readonly dest?: Text | undefined;
  readonly dest_ip?: Text | undefined;
  readonly dest_port?: Text | undefined;
  readonly target?: Text | undefined;
  /** Its place in the chain, from 1. Absent or `0`: at the end. */
  readonly index?: Text | undefined;
}

/** Algorithms to offer to a peer. UCI `ipsec`, section `proposal`; one that a remote or a connection names cannot be deleted. */
export interface IpsecProposal {
  readonly name: string;
  readonly encryption_algorithm?: Text | undefined;
  readonly hash_algorithm?: Text | undefined;
  readonly dh_group?: Text | undefined;
}

/** What goes on between a CNF and a peer. UCI `ipsec`, a section of type `tunnel` or `transport` whose name no other section there has. */
export interface IpsecConnection {
  readonly name: string;
  /** `tunnel` or `transport`. */
  readonly conn_type: Text;
  /** `start`: brought up at once; `route`: by the first traffic; `add`: by the peer alone. */
  readonly mode: Text;
  readonly local_subnet?: Text | undefined;
  readonly local_nat?: Text | undefined;
  readonly local_sourceip?: Text | undefined;
  readonly local_updown?: Text | undefined;
  readonly local_firewall?: Text | undefined;
  readonly remote_subnet?: Text | undefined;
  readonly remote_sourceip?: Text | undefined;
  readonly remote_updown?: Text | undefined;
  readonly remote_firewall?: Text | undefined;
  readonly crypto_proposal?: readonly Text[] | null | undefined;
  readonly mark?: Text | undefined;
  readonly if_id?: Text | undefined;
}

/**
 * A peer, by its address or `%any`, and the connections with it. UCI `ipsec`, section `remote`. With `psk` it needs the key, with `pubkey` all
 * three certificates.
 */
export interface IpsecRemote {
  readonly name: string;
  readonly type?: Text | undefined;
  readonly gateway: Text;
  /** Set by the CNF where not given. */
  readonly enabled?: Text | undefined;
  /** A secret. */
  readonly pre_shared_key?: Text | undefined;
  readonly authentication_method?: Text | undefined;
  readonly local_identifier?: Text | undefined;
  readonly remote_identifier?: Text | undefined;
  readonly crypto_proposal?: readonly Text[] | null | undefined;
  readonly force_crypto_proposal?: Text | undefined;
  /** Base64, several joined with `___`. The reference CNF answers unreadable text here. */
  readonly local_public_cert?: Text | undefined;
  /** A secret. Otherwise as `local_public_cert`. */
  readonly local_private_cert?: Text | undefined;
  readonly shared_ca?: Text | undefined;
  readonly connections?: readonly IpsecConnection[] | null | undefined;
}

/** A route of the CNF, by `ip route`. UCI `route-cnf`, section `route`. */
export interface Route {
  readonly name: string;
  readonly dst: Text;
  readonly src?: Text | undefined;
  readonly gw?: Text | undefined;
  /** Interface, `#default` or `#<ip>`. */
  readonly dev: Text;
  /** The interface that the CNF made of `dev`. */
  readonly dev_val?: Text | undefined;
  readonly table?: Text | undefined;
}

/** Which traffic a routing table is for, by `ip rule`. UCI `rule-cnf`, section `rule`. It needs `src` or `dst`. */
export interface RoutingRule {
  readonly name: string;
  readonly src?: Text | undefined;
  readonly dst?: Text | undefined;
  /** All traffic but this. */
  readonly flag?: boolean | undefined;
  readonly prio?: Text | undefined;
  readonly fwmark?: Text | undefined;
  readonly table?: Text | undefined;
}

/** Pods whose traffic goes by the CNF's own routing table, 40: an `ip rule` for each address. UCI `app-cnf`, section `rule`. */
export interface Application {
  readonly name: string;
  /** IPv4 addresses joined with `,`. Absent: it is kept, and does nothing. */
  readonly iplist?: Text | undefined;
}

/** A service of the cluster that is reached by a TCP port of the CNF. In the file `/etc/sdewan_svc.info`; the name is looked up when it is made. */
export interface ServiceForwarding {
  readonly name: string;
  /** DNS name of the service. */
  readonly fullname: Text;
  /** The CNF's, 1 to 65534. */
  readonly port: Text;
  /** The service's, 1 to 65534. */
  readonly dport: Text;
}

/** An interface of the CNF as `ifconfig` has it. Not `lo`; on the reference CNF, only those that are up. */
export interface NetworkInterface {
  readonly name: string;
  readonly status: "UP" | "DOWN";
  readonly ip_address?: readonly string[];
  /** Each with the length of its prefix. */
  readonly ip6_address?: readonly string[];
  readonly mac_address?: string;
  /** A decimal number. */
  readonly received_packets?: string;
  readonly send_packets?: string;
}

/** Answer of one status module. */
export interface ModuleStatus {
  readonly name: string;
  /** Absent where the CNF has nothing to say. */
  readonly status?: unknown;
}
