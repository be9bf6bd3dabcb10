/** API group of all the operator's kinds. */
export const group = "batch.sdewan.akraino.org";
export const version = "v1alpha1";

/** Label that links a Deployment, its pods and custom resources to a CNF. The value is the CNF's purpose. */
export const purposeLabel = "sdewanPurpose";

/** Label on CNF pods: name of the Secret whose `password` key contains the CNF's root password. */
export const accountSecretLabel = "cnf-account-secret";

/** Label on CNF pods: name of the Secret whose `ca.crt` key contains the CA to trust for TLS connections to the CNF. */
export const certSecretLabel = "cnf-cert-secret";

/** Annotation on pods: the attached networks, as JSON. */
export const networksAnnotation = "k8s.plugin.opnfv.org/nfn-network";

/** Annotation on pods: scheme and port of the CNF's REST API, such as `https:8443`. It cannot contain a host. */
export const endpointAnnotation = "kubewright.dev/cnf-endpoint";

/**
 * Annotation on resources with the operator's finalizer: the purpose of the CNF on which the resource's object may
 * exist. The purpose may differ from that in the resource's current label.
 */
export const appliedPurposeAnnotation = "kubewright.dev/applied-purpose";

/**
 * Annotation on resources whose certificates the CNF does not return: a hash of the most recently sent certificates.
 */
export const sentHashAnnotation = "kubewright.dev/sent-certificates";

/** Annotation on resources that refer to Secrets: the versions of the Secrets whose values were sent to the CNF. */
export const appliedSecretsAnnotation = "kubewright.dev/applied-secrets";

/**
 * Annotation that determines the order of objects in a CNF collection. The value is an integer, and objects are sorted
 * in ascending order. Default 0. If two resources have the same value, the older one comes first.
 */
export const orderAnnotation = "sdewan.akraino.org/order";

/**
 * Annotation on CNF Deployments: the stage of the CNF, `"0"` to `"9"`. A CNF receives a change only after the change
 * has proven itself on all CNFs with lower stages in the same namespace.
 */
export const stageAnnotation = "sdewan.akraino.org/stage";

/**
 * Annotation on resources: the value `now` makes a change proceed to the next stage immediately. The operator then
 * removes the annotation.
 */
export const releaseAnnotation = "sdewan.akraino.org/release";

/** Annotation on resources: while it is `true`, the operator leaves the resource unchanged, on the CNF and in the cluster. */
export const pausedAnnotation = "kubewright.dev/paused";

/**
 * Annotation on Deployments: the time, such as `30s`, within which a CNF's probes must pass after a change; otherwise,
 * the operator rolls the change back. With `off`, changes are applied without confirmation. Default: the value of
 * `--confirm-changes`.
 */
export const confirmAnnotation = "sdewan.akraino.org/confirm-changes";

/** Annotation on Deployments: probes that must pass after a change, such as `tunnel/site-a, tcp/10.0.0.1:443`. */
export const probeAnnotation = "sdewan.akraino.org/probe";

/** Annotation on resources: a new value makes the operator retry a change that was rolled back. */
export const retryAnnotation = "sdewan.akraino.org/retry";
