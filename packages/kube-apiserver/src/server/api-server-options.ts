import type { SecureVersion } from "node:tls";
import type { AdmissionPlugin } from "@kubewright/apiserver/admission";
import type { Clock, Random } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { StorageBackend, StorageOptions } from "@kubewright/storage";
import type { AuthenticationOptions } from "../authentication/authentication-options.ts";
import type { FrontProxyOptions } from "../authentication/front-proxy.ts";
import type { AuthorizationMode, AuthorizationOptions } from "../authorization/authorization-options.ts";
import type { Kubelets } from "../kubelet/kubelets.ts";
import type { AuditOptions } from "./open-auditor.ts";
import type { RuntimeConfig } from "./runtime-config.ts";
import type { UserOptions } from "./users.ts";

/** Features that can be enabled or disabled. All other features have upstream's defaults. */
export interface FeatureGates {
  /**
   * True to serve lists and watches of the subset of objects that the query parameter `shardSelector` selects. If false, the server
   * ignores this parameter. Default false.
   */
  readonly ShardedListAndWatch?: boolean | undefined;
}

/**
 * Options for an API server. Every field has a default, usually that of the corresponding kube-apiserver flag.
 *
 * @see kubernetes cmd/kube-apiserver/app/options
 */
export interface ApiServerOptions extends AuditOptions, FrontProxyOptions {
  /**
   * False to open no port. The server then answers only {@link ApiServer.handle}, has no address, and generates no certificates. Default
   * true.
   */
  readonly listen?: boolean | undefined;
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host?: string | undefined;
  /** Port to listen on. Default: a free port. */
  readonly port?: number | undefined;
  /** True for HTTPS with a generated CA (default); false for plain HTTP, with tokens only. */
  readonly tls?: boolean | undefined;
  /** Minimum TLS version. Default TLS 1.2. */
  readonly tlsMinVersion?: SecureVersion | undefined;
  /** OpenSSL names of the permitted cipher suites. Default: the defaults of Node.js. */
  readonly tlsCipherSuites?: readonly string[] | undefined;
  /** True to offer HTTP/2 over TLS. Default true. */
  readonly http2?: boolean | undefined;
  /** The server's certificate chain and key, in PEM format. Default: generated and signed by a generated CA. */
  readonly serving?: { readonly certificate: string; readonly key: string } | undefined;
  /**
   * CA certificates for users, in PEM format, in addition to this server's own CA. The server's own users have a
   * separate CA.
   */
  readonly clientCa?: string | undefined;
  /** Users to create in addition to the user `admin`, which always exists and may do everything. */
  readonly users?: readonly UserOptions[] | undefined;
  /** CRDs to install, as complete objects. If a CRD already exists, its specification is updated. */
  readonly crds?: readonly unknown[] | undefined;
  /** Authentication methods in addition to this server's own users, and options for ServiceAccount tokens. */
  readonly authentication?: AuthenticationOptions | undefined;
  /** Authorization modes, tried in order. Default `["AlwaysAllow"]`. */
  readonly authorization?: readonly AuthorizationMode[] | AuthorizationOptions | undefined;
  /** Names (as in kube-apiserver) of built-in admission plugins to enable in addition to the default ones. */
  readonly enableAdmissionPlugins?: readonly string[] | undefined;
  /** Built-in admission plugins to disable. */
  readonly disableAdmissionPlugins?: readonly string[] | undefined;
  /**
   * File with the configuration of admission plugins, as for kube-apiserver. Only the plugins for webhooks use it: it names a kubeconfig with
   * the credentials that the server presents to webhooks. The files are read once, when the server starts.
   */
  readonly admissionControlConfigFile?: string | undefined;
  /** In-process admission plugins, which run before the built-in policies and webhooks. */
  readonly admissionPlugins?: readonly AdmissionPlugin[] | undefined;
  /** Storage. Default: in memory. To use a different storage backend, pass it here, for example `etcd3({ endpoints })`. */
  readonly storage?: StorageOptions | StorageBackend | undefined;
  /**
   * Directory in which the server stores its CAs. It is created if it does not exist. If this option is set, certificates remain valid when
   * the process restarts. Default: the server creates new CAs each time it starts.
   */
  readonly identityDirectory?: string | undefined;
  /** Address of the server to publish in the endpoints of the Service `kubernetes`. Default: no address is published. */
  readonly advertiseAddress?: string | undefined;
  /** IPv4 network for Service addresses. Default `10.96.0.0/12`. */
  readonly serviceClusterIpRange?: string | undefined;
  /** Number of changes to keep for each resource. A watch can start from any of these changes. Default 1000. */
  readonly historyLength?: number | undefined;
  /**
   * Interval at which the history is compacted. A change is retained for at least one and at most two intervals. `false` disables
   * compaction. Default 300000.
   */
  readonly compactionIntervalMs?: number | false | undefined;
  /** Lifetime of events. Default 3600. */
  readonly eventTtlSeconds?: number | undefined;
  /** Interval between bookmarks on watches that request them. Default 60000. */
  readonly bookmarkIntervalMs?: number | undefined;
  /** Timeout for all requests except watches. After the timeout, the response is 504. Default 60000. */
  readonly requestTimeoutMs?: number | undefined;
  /**
   * True to check the types in the expressions of ValidatingAdmissionPolicies and to report errors in the policies' status, as a complete
   * control plane does. Default false, because kube-apiserver alone does not do this.
   */
  readonly checkPolicyTypes?: boolean | undefined;
  /**
   * Built-in groups, versions and resources to enable or disable, such as `apps/v1`, `v1`, `apps/v1/deployments` or `api/all`. Default: all
   * are enabled.
   */
  readonly runtimeConfig?: RuntimeConfig | undefined;
  /** Features to enable although they are disabled by default, identified by their names in kube-apiserver. */
  readonly featureGates?: FeatureGates | undefined;
  /**
   * Kubelets that run in this process, to which the server connects for `pods/log`, `pods/exec`, `pods/attach` and `pods/portforward`.
   * Default: none, so the response to such requests is 501.
   */
  readonly kubelets?: Kubelets | undefined;
  /** Content of `/flagz`: names and values of flags. Default: no flags. */
  readonly flags?: Readonly<Record<string, string>> | undefined;
  readonly clock?: Clock | undefined;
  /**
   * Source of UIDs, generated names, tokens and addresses. With a seeded source and a fake clock, the same requests have the same responses.
   * Default: the system's source, whose values are secure.
   */
  readonly random?: Random | undefined;
  readonly logger?: Logger | undefined;
}
