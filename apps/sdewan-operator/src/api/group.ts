/** API group of all the operator's kinds. */
export const group = "batch.sdewan.akraino.org";
export const version = "v1alpha1";

/** Label whose value, the purpose, links a Deployment, its pods and custom resources to one CNF. */
export const purposeLabel = "sdewanPurpose";

/** Label on CNF pods: name of the Secret whose `password` is the CNF's root password. */
export const accountSecretLabel = "cnf-account-secret";

/** Label on CNF pods: name of the Secret whose `ca.crt` is trusted for TLS connections to the CNF. */
export const certSecretLabel = "cnf-cert-secret";

/** Annotation on pods: the attached networks, as JSON. */
export const networksAnnotation = "k8s.plugin.opnfv.org/nfn-network";

/** Annotation on pods: scheme and port of the CNF's REST API, such as `https:8443`. It cannot contain a host. */
export const endpointAnnotation = "kubewright.dev/cnf-endpoint";

/**
 * Annotation on resources that have the operator's finalizer: the purpose of the CNF on which the resource's object may exist. It may
 * differ from the resource's current label.
 */
export const appliedPurposeAnnotation = "kubewright.dev/applied-purpose";

/** Annotation on resources whose certificates the CNF does not return: a hash of the certificates that were last sent. */
export const sentHashAnnotation = "kubewright.dev/sent-certificates";

/** Annotation on resources that refer to Secrets: the Secret versions whose values were sent to the CNF. */
export const appliedSecretsAnnotation = "kubewright.dev/applied-secrets";

/**
 * Annotation that determines the order of objects in a CNF collection. The value is an integer, and objects are sorted in ascending order.
 * Default 0. If two resources have the same value, the older resource comes first.
 */
export const orderAnnotation = "sdewan.akraino.org/order";

/**
 * Annotation on CNF Deployments: the stage of the CNF, `"0"` to `"9"`. A CNF gets a change only after the change has
 * proven itself on all CNFs with a lower stage in the same namespace.
 */
export const stageAnnotation = "sdewan.akraino.org/stage";

/**
 * Annotation on resources: with the value `now`, a change proceeds to the next stage immediately. The operator then removes the annotation.
 */
export const releaseAnnotation = "sdewan.akraino.org/release";

/** Annotation on resources: while it is `true`, the operator leaves the resource unchanged, on the CNF and in the cluster. */
export const pausedAnnotation = "kubewright.dev/paused";

/**
 * Annotation on Deployments: time within which a CNF's probes must pass after a change, such as `30s`; otherwise, the operator rolls the
 * change back. `off` applies changes without a confirmation. Default: the value of `--confirm-changes`.
 */
export const confirmAnnotation = "sdewan.akraino.org/confirm-changes";

/** Annotation on Deployments: probes that must pass after a change, such as `tunnel/site-a, tcp/10.0.0.1:443`. */
export const probeAnnotation = "sdewan.akraino.org/probe";

/** Annotation on resources: a new value makes the operator retry a change that was rolled back. */
export const retryAnnotation = "sdewan.akraino.org/retry";
