import { parseFlagTable } from "../flags/flag-table.ts";

/**
 * The flags of kube-apiserver 1.36.3: a section a heading, then name, type and default of each flag.
 *
 * @see kubernetes cmd/kube-apiserver
 */
export const kubeApiServerFlags = parseFlagTable(`
Generic:
  advertise-address ip
  cors-allowed-origins strings
  emulated-version strings
  emulation-forward-compatible bool
  external-hostname string
  feature-gates featureGates
  goaway-chance float
  livez-grace-period duration
  max-mutating-requests-inflight int 200
  max-requests-inflight int 400
  min-compatibility-version strings
  min-request-timeout int 1800
  request-timeout duration 1m0s
  runtime-config-emulation-forward-compatible bool
  shutdown-delay-duration duration
  shutdown-send-retry-after bool
  shutdown-watch-termination-grace-period duration
  storage-initialization-timeout duration 1m0s
  strict-transport-security-directives strings
Etcd:
  delete-collection-workers int 1
  enable-garbage-collector bool true
  encryption-provider-config string
  encryption-provider-config-automatic-reload bool
  etcd-cafile string
  etcd-certfile string
  etcd-compaction-interval duration 5m0s
  etcd-count-metric-poll-period duration 1m0s
  etcd-db-metric-poll-interval duration 30s
  etcd-healthcheck-timeout duration 2s
  etcd-keyfile string
  etcd-prefix string /registry
  etcd-readycheck-timeout duration 2s
  etcd-servers strings
  etcd-servers-overrides strings
  lease-reuse-duration-seconds int 60
  storage-backend string
  storage-media-type string application/vnd.kubernetes.protobuf
  watch-cache bool true
  watch-cache-sizes strings
Secure serving:
  bind-address ip 0.0.0.0
  cert-dir string /var/run/kubernetes
  disable-http2-serving bool
  http2-max-streams-per-connection int
  permit-address-sharing bool
  permit-port-sharing bool
  secure-port int 6443
  tls-cert-file string
  tls-cipher-suites strings
  tls-curve-preferences int32Slice
  tls-min-version string
  tls-private-key-file string
  tls-sni-cert-key namedCertKey
Auditing:
  audit-log-batch-buffer-size int 10000
  audit-log-batch-max-size int 1
  audit-log-batch-max-wait duration
  audit-log-batch-throttle-burst int
  audit-log-batch-throttle-enable bool
  audit-log-batch-throttle-qps float
  audit-log-compress bool
  audit-log-format string json
  audit-log-maxage int 366
  audit-log-maxbackup int 100
  audit-log-maxsize int 100
  audit-log-mode string blocking
  audit-log-path string
  audit-log-truncate-enabled bool
  audit-log-truncate-max-batch-size int 10485760
  audit-log-truncate-max-event-size int 102400
  audit-log-version string audit.k8s.io/v1
  audit-policy-file string
  audit-webhook-batch-buffer-size int 10000
  audit-webhook-batch-max-size int 400
  audit-webhook-batch-max-wait duration 30s
  audit-webhook-batch-throttle-burst int 15
  audit-webhook-batch-throttle-enable bool true
  audit-webhook-batch-throttle-qps float 10
  audit-webhook-config-file string
  audit-webhook-initial-backoff duration 10s
  audit-webhook-mode string batch
  audit-webhook-truncate-enabled bool
  audit-webhook-truncate-max-batch-size int 10485760
  audit-webhook-truncate-max-event-size int 102400
  audit-webhook-version string audit.k8s.io/v1
Features:
  contention-profiling bool
  debug-socket-path string
  enable-priority-and-fairness bool true
  profiling bool true
Authentication:
  anonymous-auth bool true
  api-audiences strings
  authentication-config string
  authentication-token-webhook-cache-ttl duration 2m0s
  authentication-token-webhook-config-file string
  authentication-token-webhook-version string v1beta1
  client-ca-file string
  enable-bootstrap-token-auth bool
  oidc-ca-file string
  oidc-client-id string
  oidc-groups-claim string
  oidc-groups-prefix string
  oidc-issuer-url string
  oidc-required-claim mapStringString
  oidc-signing-algs strings RS256
  oidc-username-claim string sub
  oidc-username-prefix string
  requestheader-allowed-names strings
  requestheader-client-ca-file string
  requestheader-extra-headers-prefix strings
  requestheader-group-headers strings
  requestheader-uid-headers strings
  requestheader-username-headers strings
  service-account-extend-token-expiration bool true
  service-account-issuer stringArray
  service-account-jwks-uri string
  service-account-key-file stringArray
  service-account-lookup bool true
  service-account-max-token-expiration duration
  token-auth-file string
Authorization:
  authorization-config string
  authorization-mode strings
  authorization-policy-file string
  authorization-webhook-cache-authorized-ttl duration 5m0s
  authorization-webhook-cache-unauthorized-ttl duration 30s
  authorization-webhook-config-file string
  authorization-webhook-version string v1beta1
API enablement:
  runtime-config configurationMap
Egress selector:
  egress-selector-config-file string
Admission:
  admission-control strings
  admission-control-config-file string
  default-not-ready-toleration-seconds int 300
  default-unreachable-toleration-seconds int 300
  disable-admission-plugins strings
  enable-admission-plugins strings
Metrics:
  allow-metric-labels stringToString
  allow-metric-labels-manifest string
  disabled-metrics strings
  show-hidden-metrics-for-version string
Logs:
  log-flush-frequency duration 5s
  log-json-info-buffer-size quantity
  log-json-split-stream bool
  log-text-info-buffer-size quantity
  log-text-split-stream bool
  logging-format string text
  v level
  vmodule moduleSpec
Traces:
  tracing-config-file string
Misc:
  aggregator-reject-forwarding-redirect bool true
  allow-privileged bool
  coordinated-leadership-lease-duration duration 15s
  coordinated-leadership-renew-deadline duration 10s
  coordinated-leadership-retry-period duration 2s
  enable-aggregator-routing bool
  enable-logs-handler bool
  endpoint-reconciler-type string lease
  event-ttl duration 1h0m0s
  kubelet-certificate-authority string
  kubelet-client-certificate string
  kubelet-client-key string
  kubelet-preferred-address-types strings Hostname,InternalDNS,InternalIP,ExternalDNS,ExternalIP
  kubelet-timeout duration 5s
  kubernetes-service-node-port int
  max-connection-bytes-per-sec int
  peer-advertise-ip string
  peer-advertise-port string
  peer-ca-file string
  proxy-client-cert-file string
  proxy-client-key-file string
  service-account-signing-endpoint string
  service-account-signing-key-file string
  service-cluster-ip-range string
  service-node-port-range portRange 30000-32767
Hidden:
  apiserver-count int 1
  audit-webhook-batch-initial-backoff duration 10s
  default-watch-cache-size int 100
  kubelet-port uint 10250
  kubelet-read-only-port uint 10255
Global:
  help bool
  version version
`);
