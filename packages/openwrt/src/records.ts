/** Everything is text to a CNF, numbers and switches (`0`, `1`) too. Empty and absent fields mean the same. */
type Text = string;

export interface Mwan3Member {
  /** Name of an mwan3 interface section. */
  readonly interface: Text;
  /** Above 0. Lower ones are used first. */
  readonly metric: Text;
  /** Above 0. Share among members of the same metric. */
  readonly weight: Text;
}

export interface Mwan3Policy {
  readonly name: string;
  readonly members: readonly Mwan3Member[];
}

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
  readonly sticky?: Text | undefined;
  readonly timeout?: Text | undefined;
}

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

export interface FirewallForwarding {
  readonly name: string;
  readonly src: Text;
  readonly dest: Text;
  readonly family?: Text | undefined;
}

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
  readonly index?: Text | undefined;
}

export interface IpsecProposal {
  readonly name: string;
  readonly encryption_algorithm?: Text | undefined;
  readonly hash_algorithm?: Text | undefined;
  readonly dh_group?: Text | undefined;
}

export interface IpsecConnection {
  readonly name: string;
  readonly conn_type: Text;
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

export interface Application {
  readonly name: string;
  /** IPv4 addresses joined with `,`. */
  readonly iplist?: Text | undefined;
}

export interface ServiceForwarding {
  readonly name: string;
  /** DNS name of the service. */
  readonly fullname: Text;
  readonly port: Text;
  readonly dport: Text;
}

export interface NetworkInterface {
  readonly name: string;
  readonly status: "UP" | "DOWN";
  readonly ip_address?: readonly string[];
  readonly ip6_address?: readonly string[];
  readonly mac_address?: string;
  readonly received_packets?: string;
  readonly send_packets?: string;
}

/** Answer of one status module. */
export interface ModuleStatus {
  readonly name: string;
  /** Absent where the CNF has nothing to say. */
  readonly status?: unknown;
}
