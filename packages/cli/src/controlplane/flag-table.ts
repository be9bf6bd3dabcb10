import type { LogLevel } from "@kubewright/log";
import { type FlagSpec, type FlagTable, parseFlagTable } from "../flags/flag-table.ts";
import { kubeApiServerFlags } from "../kube-apiserver/flag-table.ts";
import { serverFlags } from "../kube-apiserver/server-flags.ts";
import { etcdFlags } from "../kube-apiserver/storage-flags.ts";

/** Log levels: the same as in programs that use Kubewright. */
export const logLevels = [
  "trace",
  "debug",
  "info",
  "warn",
  "error",
  "fatal",
  "silent",
] as const satisfies readonly LogLevel[];

/** Flags that kube-apiserver does not have, or whose default differs from kube-apiserver's. */
const ours = parseFlagTable(`
Control plane:
  bind-address ip 127.0.0.1
  data-dir string
  kubeconfig-out string
  log-level choice(${logLevels.join("|")}) warn
  process-images bool
  secure-port int 0
  storage-backend choice(memory|journal|etcd3) memory
  authorization-mode strings Node,RBAC
`);

const shared = [
  ...serverFlags,
  ...etcdFlags,
  "tls-cert-file",
  "tls-private-key-file",
  "feature-gates",
  "help",
  "version",
];

/** Flags of `kubewright controlplane`: its own flags, and the supported kube-apiserver flags. */
export const controlPlaneFlags: FlagTable = new Map([
  ...ours,
  ...shared.filter((name) => !ours.has(name)).map((name) => [name, kubeApiServerFlag(name)] as const),
]);

function kubeApiServerFlag(name: string): FlagSpec {
  const spec = kubeApiServerFlags.get(name);
  if (!spec) throw new Error(`kube-apiserver has no flag --${name}`);
  return spec;
}

/** Description of each flag in `--help`. */
export const flagNotes: Readonly<Record<string, string>> = {
  "bind-address": "address to listen on",
  "data-dir": "folder for the journal and the certificate authorities",
  "kubeconfig-out": "file for the administrator's kubeconfig (default: in --data-dir or a temporary folder)",
  "log-level": "minimum level of messages that the server and the controllers log to standard error",
  "process-images":
    "run pods that use the image docker.io/library/node:24.21.0-slim as unsandboxed processes on this machine; requires a loopback address",
  "secure-port": "HTTPS port; 0 picks a free one",
  "storage-backend": "where to store objects: memory, journal (a file in --data-dir, which is required) or etcd3",
  "authorization-mode": "authorization modes, tried in order: ABAC, AlwaysAllow, AlwaysDeny, Node, RBAC or Webhook",
  "advertise-address": "address to publish in the endpoints of the kubernetes Service (default: --bind-address)",
  "request-timeout": "timeout for all requests except watches",
  "feature-gates": "feature gates to set, as name=true or name=false; unsupported values are rejected",
  "audit-log-compress": "compress rotated audit logs with gzip",
  "audit-log-maxage": "days after which rotated audit logs are deleted",
  "audit-log-maxbackup": "maximum number of rotated audit logs",
  "audit-log-maxsize": "size in megabytes at which the audit log is rotated",
  "audit-log-path": "file for the audit log; - writes to standard output",
  "audit-policy-file": "audit policy file, which selects the requests to log",
  "enable-admission-plugins": "admission plugins to enable in addition to the default ones",
  "disable-admission-plugins": "admission plugins to disable, even if they are enabled by default",
  "admission-control-config-file":
    "configuration file for admission plugins, including the credentials that the server presents to webhooks",
  "proxy-client-cert-file": "client certificate that the server presents to aggregated API servers",
  "proxy-client-key-file": "private key of --proxy-client-cert-file",
  "event-ttl": "time after which Events are deleted",
  "service-cluster-ip-range": "IPv4 range for the cluster IPs of Services (default: 10.96.0.0/12)",
  "service-account-signing-key-file": "private key that signs service account tokens (default: a generated key)",
  "anonymous-auth": "treat requests without credentials as coming from the user system:anonymous",
  "authentication-config": "AuthenticationConfiguration file; mutually exclusive with --oidc-* flags",
  "api-audiences": "accepted audiences; a token must contain at least one (default: --service-account-issuer)",
  "authentication-token-webhook-config-file": "kubeconfig for the webhook that authenticates bearer tokens",
  "authentication-token-webhook-version": "API version of the TokenReviews sent to this webhook",
  "authentication-token-webhook-cache-ttl": "how long to cache this webhook's responses",
  "client-ca-file": "CA that signs client certificates, in addition to the server's own CA",
  "enable-bootstrap-token-auth": "accept the bootstrap tokens in the kube-system namespace",
  "oidc-issuer-url": "HTTPS URL of the OpenID Connect issuer",
  "oidc-client-id": "audience that ID tokens must contain",
  "oidc-ca-file": "CA that signed the issuer's certificate (default: the machine's root CAs)",
  "oidc-username-claim": "claim that contains the user name",
  "oidc-username-prefix": "prefix for user names, or - for none (default: ISSUER_URL#; none if the claim is email)",
  "oidc-groups-claim": "claim that contains the user's groups",
  "oidc-groups-prefix": "prefix for group names",
  "oidc-required-claim": "claim that ID tokens must contain, as key=value (repeatable)",
  "oidc-signing-algs": "accepted signing algorithms",
  "requestheader-client-ca-file":
    "CA that signs the client certificates of front proxies, which pass the user in request headers",
  "requestheader-allowed-names": "accepted common names in front proxies' certificates (default: any)",
  "requestheader-username-headers": "headers that contain the user name, in order of preference",
  "requestheader-uid-headers": "headers that contain the user's UID",
  "requestheader-group-headers": "headers that contain the user's groups",
  "requestheader-extra-headers-prefix": "prefixes of the headers that contain the user's extra attributes",
  "service-account-issuer":
    "issuer of service account tokens; if repeated, the first is used for new tokens and all are accepted",
  "service-account-key-file": "public key that verifies service account tokens (repeatable; default: the signing key)",
  "service-account-jwks-uri": "HTTPS URL of the key set (JWKS) to publish in the issuer's discovery document",
  "service-account-lookup": "reject the tokens of deleted service accounts",
  "service-account-max-token-expiration": "maximum lifetime of service account tokens (default: no limit)",
  "service-account-extend-token-expiration": "extend the lifetime of pods' tokens to one year",
  "token-auth-file": "CSV file with one token per line: token,name,uid,groups",
  "authorization-config":
    "AuthorizationConfiguration file; mutually exclusive with --authorization-mode and --authorization-webhook-* flags",
  "authorization-policy-file": "policy file for the ABAC authorization mode, one JSON object per line",
  "authorization-webhook-config-file": "kubeconfig for the Webhook authorization mode",
  "authorization-webhook-version": "API version of the SubjectAccessReviews sent to this webhook",
  "authorization-webhook-cache-authorized-ttl": "how long to cache decisions of this webhook that allow a request",
  "authorization-webhook-cache-unauthorized-ttl": "how long to cache decisions of this webhook that deny a request",
  "etcd-cafile": "CA that signed etcd's certificate",
  "etcd-certfile": "client certificate for etcd",
  "etcd-keyfile": "private key of --etcd-certfile",
  "etcd-prefix": "prefix for all keys in etcd",
  "etcd-servers": "URLs of the etcd servers; requires --storage-backend etcd3",
  "tls-cert-file": "server certificate (default: one signed by the server's own CA)",
  "tls-private-key-file": "private key of --tls-cert-file",
  help: "print this help",
  version: "print the version; raw prints more details",
};
