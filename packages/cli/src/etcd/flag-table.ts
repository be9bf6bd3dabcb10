import { parseFlagTable } from "../flags/flag-table.ts";

/**
 * Flags of etcd 3.6.8 by section, each with its type and default.
 *
 * @see etcd server/etcdmain/config.go
 */
export const etcdFlags = parseFlagTable(`
Member:
  name string default
  data-dir string
  wal-dir string
  snapshot-count uint64 10000
  heartbeat-interval uint 100
  election-timeout uint 1000
  initial-election-tick-advance bool true
  listen-peer-urls uniqueUrls http://localhost:2380
  listen-client-urls uniqueUrls http://localhost:2379
  listen-client-http-urls uniqueUrls
  max-snapshots uint 5
  max-wals uint 5
  memory-mlock bool
  quota-backend-bytes int64 0
  backend-bbolt-freelist-type string map
  backend-batch-interval duration
  backend-batch-limit int 0
  max-txn-ops uint 128
  max-request-bytes uint 1572864
  max-concurrent-streams uint32 4294967295
  grpc-keepalive-min-time duration 5s
  grpc-keepalive-interval duration 2h
  grpc-keepalive-timeout duration 20s
  socket-reuse-port bool false
  socket-reuse-address bool false
  enable-grpc-gateway bool
  raft-read-timeout duration 5s
  raft-write-timeout duration 5s
  feature-gates string
Clustering:
  initial-advertise-peer-urls uniqueUrls http://localhost:2380
  initial-cluster string default=http://localhost:2380
  initial-cluster-state choice(new|existing) new
  initial-cluster-token string etcd-cluster
  advertise-client-urls uniqueUrls http://localhost:2379
  discovery string
  discovery-token string
  discovery-endpoints string
  discovery-dial-timeout duration 2s
  discovery-request-timeout duration 5s
  discovery-keepalive-time duration 2s
  discovery-keepalive-timeout duration 6s
  discovery-insecure-transport bool true
  discovery-insecure-skip-tls-verify bool false
  discovery-cert string
  discovery-key string
  discovery-cacert string
  discovery-user string
  discovery-password string
  discovery-fallback choice(exit|proxy) exit
  discovery-proxy string
  discovery-srv string
  discovery-srv-name string
  strict-reconfig-check bool true
  pre-vote bool true
  auto-compaction-retention string 0
  auto-compaction-mode string periodic
  v2-deprecation choices(write-only|write-only-drop-data|gone) write-only
Security:
  cert-file string
  key-file string
  client-cert-auth bool false
  client-cert-file string
  client-key-file string
  client-crl-file string
  client-cert-allowed-hostname string
  trusted-ca-file string
  auto-tls bool false
  peer-cert-file string
  peer-key-file string
  peer-client-cert-auth bool false
  peer-client-cert-file string
  peer-client-key-file string
  peer-trusted-ca-file string
  peer-cert-allowed-cn string
  peer-cert-allowed-hostname string
  peer-auto-tls bool false
  self-signed-cert-validity uint 1
  peer-crl-file string
  cipher-suites string
  cors uniqueUrls *
  host-whitelist string *
  tls-min-version string TLS1.2
  tls-max-version string
Auth:
  auth-token string simple
  bcrypt-cost uint 10
  auth-token-ttl uint 300
Profiling and Monitoring:
  enable-pprof bool false
  metrics string basic
  listen-metrics-urls uniqueUrls
Logging:
  logger string zap
  log-outputs string default
  log-level string info
  log-format string json
  enable-log-rotation bool false
  log-rotation-config-json string
  warning-unary-request-duration duration 300ms
Experimental distributed tracing:
  experimental-enable-distributed-tracing bool false
  enable-distributed-tracing bool false
  experimental-distributed-tracing-address string localhost:4317
  distributed-tracing-address string localhost:4317
  experimental-distributed-tracing-service-name string etcd
  distributed-tracing-service-name string etcd
  experimental-distributed-tracing-instance-id string
  distributed-tracing-instance-id string
  experimental-distributed-tracing-sampling-rate int 0
  distributed-tracing-sampling-rate int 0
Experimental feature:
  experimental-initial-corrupt-check bool false
  experimental-corrupt-check-time duration 0s
  corrupt-check-time duration 0s
  experimental-compact-hash-check-enabled bool false
  experimental-compact-hash-check-time duration 1m
  compact-hash-check-time duration 1m
  experimental-enable-lease-checkpoint bool false
  experimental-compaction-batch-limit int 1000
  compaction-batch-limit int 1000
  experimental-peer-skip-client-san-verification bool false
  peer-skip-client-san-verification bool false
  experimental-watch-progress-notify-interval duration 10m
  watch-progress-notify-interval duration 10m
  experimental-warning-apply-duration duration 100ms
  warning-apply-duration duration 100ms
  experimental-txn-mode-write-with-shared-buffer bool true
  experimental-bootstrap-defrag-threshold-megabytes uint
  bootstrap-defrag-threshold-megabytes uint
  experimental-warning-unary-request-duration duration 300ms
  max-learners int 1
  experimental-compaction-sleep-interval duration
  compaction-sleep-interval duration
  experimental-downgrade-check-time duration
  downgrade-check-time duration
  experimental-enable-lease-checkpoint-persist bool false
  experimental-memory-mlock bool
  experimental-snapshot-catchup-entries uint64
  snapshot-catchup-entries uint64
  experimental-stop-grpc-service-on-defrag bool
Unsafe feature:
  force-new-cluster bool false
  unsafe-no-fsync bool false
Global:
  config-file string
  version bool
`);
