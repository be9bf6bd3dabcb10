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
 * Options of an API server. Every field has a default, which is usually that of the corresponding kube-apiserver flag.
 *
 * @see kubernetes cmd/kube-apiserver/app/options
 */
export interface ApiServerOptions extends AuditOptions, FrontProxyOptions {
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default: a free port. */
  readonly port?: number;
  /** True for HTTPS with a generated CA (default); false for plain HTTP, with tokens only. */
  readonly tls?: boolean;
  /** Minimum TLS version. Default TLS 1.2. */
  readonly tlsMinVersion?: SecureVersion;
  /** Permitted ciphers, by OpenSSL's names. Default: Node's. */
  readonly tlsCipherSuites?: readonly string[];
  /** True to offer HTTP/2 over TLS. Default true. */
  readonly http2?: boolean;
  /** Certificate chain and key of the server, PEM. Default: generated, signed by a generated CA. */
  readonly serving?: { readonly certificate: string; readonly key: string };
  /** CA certificates for further users, PEM: one or several. Users of this server have their own. */
  readonly clientCa?: string;
  /** Users in addition to `admin`, who may do everything. */
  readonly users?: readonly UserOptions[];
  /** Definitions of custom resources to install: whole objects. Existing ones get the new specification. */
  readonly crds?: readonly unknown[];
  /** Authentication methods in addition to the users of this server, and options for ServiceAccount tokens. */
  readonly authentication?: AuthenticationOptions;
  /** Authorization modes, tried in order. Default `["AlwaysAllow"]`. */
  readonly authorization?: readonly AuthorizationMode[] | AuthorizationOptions;
  /** Built-in admission plugins to enable in addition to the default ones, with kube-apiserver's names. */
  readonly enableAdmissionPlugins?: readonly string[];
  /** Built-in admission plugins to disable. */
  readonly disableAdmissionPlugins?: readonly string[];
  /** In-process admission plugins, which run before the built-in policies and webhooks. */
  readonly admissionPlugins?: readonly AdmissionPlugin[];
  /** Default: in memory. Pass other storages, such as `etcd3({ endpoints })`. */
  readonly storage?: StorageOptions | StorageBackend;
  /**
   * Directory for the server's CAs, created if missing: certificates then stay valid after a restart of the process. Default: new CAs on
   * each start.
   */
  readonly identityDirectory?: string;
  /** The server's address in the endpoints of Service `kubernetes`. Default: no endpoints. */
  readonly advertiseAddress?: string;
  /** IPv4 network of Service addresses. Default `10.96.0.0/12`. */
  readonly serviceClusterIpRange?: string;
  /** Number of changes remembered per resource, from which watches can start. Default 1000. */
  readonly historyLength?: number;
  /** Interval after which history is compacted; it is kept for one to two intervals. Default 300000; 0: never by time. */
  readonly compactionIntervalMs?: number;
  /** Lifetime of events. Default 3600. */
  readonly eventTtlSeconds?: number;
  /** Interval between bookmarks of watches that request them. Default 60000. */
  readonly bookmarkIntervalMs?: number;
  /** Timeout of a request except watches, answered with 504. Default 60000. */
  readonly requestTimeoutMs?: number;
  /**
   * True to check the types in expressions of ValidatingAdmissionPolicies and report errors in their status, as a control plane does.
   * Default false, as kube-apiserver by itself.
   */
  readonly checkPolicyTypes?: boolean;
  /**
   * Disables built-in groups, versions and resources, such as `apps/v1`, `v1`, `apps/v1/deployments` or `api/all`. Default: all enabled.
   */
  readonly runtimeConfig?: RuntimeConfig;
  /** Answers `pods/log` for nodes whose kubelets are in this process. Default: none, so logs answer 501. */
  readonly kubelets?: Kubelets;
  /** Content of `/flagz`: names of flags and their values. Default: none. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly logger?: Logger;
}
