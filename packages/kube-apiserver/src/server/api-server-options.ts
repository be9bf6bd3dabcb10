import type { SecureVersion } from "node:tls";
import type { AdmissionPlugin } from "@kubewright/apiserver/admission";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { StorageBackend, StorageOptions } from "@kubewright/storage";
import type { AuthenticationOptions } from "../authentication/authentication-options.ts";
import type { FrontProxyOptions } from "../authentication/front-proxy.ts";
import type { AuthorizationMode, AuthorizationOptions } from "../authorization/authorization-options.ts";
import type { Kubelets } from "../endpoints/kubelets.ts";
import type { AuditOptions } from "./open-auditor.ts";
import type { RuntimeConfig } from "./runtime-config.ts";
import type { UserOptions } from "./users.ts";

/**
 * How an API server is made. Every field has a default; where there is such a flag it is mostly that of kube-apiserver.
 *
 * @see kubernetes cmd/kube-apiserver/app/options
 */
export interface ApiServerOptions extends AuditOptions, FrontProxyOptions {
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** HTTPS with a generated CA. Default true; otherwise plain HTTP, and users have tokens only. */
  readonly tls?: boolean;
  /** The oldest TLS that is agreed on. Default TLS 1.2. */
  readonly tlsMinVersion?: SecureVersion;
  /** What TLS may encrypt with, by OpenSSL's names. Default: Node's. */
  readonly tlsCipherSuites?: readonly string[];
  /** HTTP/2 for clients that ask for it, over TLS. Default true. */
  readonly http2?: boolean;
  /** Certificate chain and key of the server, PEM. Default: made up, signed by a generated CA. */
  readonly serving?: { readonly certificate: string; readonly key: string };
  /** Signs the certificates of further users, PEM: one or several certificates. Users of this server have their own. */
  readonly clientCa?: string;
  /** Beside `admin`, who may do everything. */
  readonly users?: readonly UserOptions[];
  /** Definitions of custom resources to install: whole objects. One that the storage has already takes the new specification. */
  readonly crds?: readonly unknown[];
  /** Ways to come in beside the users of this server, and how ServiceAccount tokens are made. */
  readonly authentication?: AuthenticationOptions;
  /** Tried in order. Default `["AlwaysAllow"]`. */
  readonly authorization?: readonly AuthorizationMode[] | AuthorizationOptions;
  /** Built-in admission plugins to switch on beside those that are on by default, named as in kube-apiserver. */
  readonly enableAdmissionPlugins?: readonly string[];
  /** Built-in admission plugins to switch off. */
  readonly disableAdmissionPlugins?: readonly string[];
  /** In-process admission plugins, before the built-in policies and webhooks. */
  readonly admissionPlugins?: readonly AdmissionPlugin[];
  /** Default: in memory. Other places are passed in, such as `etcd3({ endpoints })`. */
  readonly storage?: StorageOptions | StorageBackend;
  /**
   * A folder for the server's certificate authorities, made where it is not there: with it, certificates that were handed out are
   * good after a restart of the process. Default: the authorities are made anew.
   */
  readonly identityDirectory?: string;
  /** The server's address in the endpoints of Service `kubernetes`. Default: they are not made. */
  readonly advertiseAddress?: string;
  /** Where Services get their addresses: an IPv4 network. Default `10.96.0.0/12`. */
  readonly serviceClusterIpRange?: string;
  /** Changes remembered for each resource: how far back a watch may start. Default 1000. */
  readonly historyLength?: number;
  /** History older than one to two intervals is forgotten. Default 300000; 0: never by time. */
  readonly compactionIntervalMs?: number;
  /** How long events are kept after they were written. Default 3600. */
  readonly eventTtlSeconds?: number;
  /** Watches that ask for bookmarks are told the newest version so often. Default 60000. */
  readonly bookmarkIntervalMs?: number;
  /** A request that is not a watch ends after so long, with 504. Default 60000. */
  readonly requestTimeoutMs?: number;
  /**
   * Checks the types in the expressions of ValidatingAdmissionPolicies and tells in their status, as a control plane does. Default
   * false: kube-apiserver by itself does not.
   */
  readonly checkPolicyTypes?: boolean;
  /** Switches built-in groups, versions and resources off, as `apps/v1`, `v1`, `apps/v1/deployments` or `api/all`. Default: all are on. */
  readonly runtimeConfig?: RuntimeConfig;
  /** Answers `pods/log` for nodes whose kubelets are in this process. Default: there are none, and logs answer 501. */
  readonly kubelets?: Kubelets;
  /** What `/flagz` shows: names of flags and their values. Default: none. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly logger?: Logger;
}
