/** API group of all kinds of the operator. */
export const group = "batch.sdewan.akraino.org";
export const version = "v1alpha1";

/** Label whose value, the purpose, links a Deployment, its pods and custom resources to one CNF. */
export const purposeLabel = "sdewanPurpose";

/** Label of CNF pods: name of the Secret whose `password` is the CNF's root password. */
export const accountSecretLabel = "cnf-account-secret";

/** Label of CNF pods: name of the Secret whose `ca.crt` is trusted for TLS to the CNF. */
export const certSecretLabel = "cnf-cert-secret";

/** Annotation of pods: the attached networks, as JSON. */
export const networksAnnotation = "k8s.plugin.opnfv.org/nfn-network";

/** Annotation of pods: scheme and port of the CNF's REST API, such as `https:8443`. It cannot contain a host. */
export const endpointAnnotation = "kubewright.dev/cnf-endpoint";

/**
 * Annotation of resources that have the operator's finalizer: the purpose of the CNF on which the resource's object may
 * exist. It may differ from the resource's current label.
 */
export const appliedPurposeAnnotation = "kubewright.dev/applied-purpose";

/** Annotation of resources whose certificates the CNF does not return: a hash of the certificates last sent. */
export const sentHashAnnotation = "kubewright.dev/sent-certificates";

/** Annotation of resources that refer to Secrets: the Secret versions whose values were sent to the CNF. */
export const appliedSecretsAnnotation = "kubewright.dev/applied-secrets";

/**
 * Annotation that determines the order of objects in a collection of a CNF: an integer; objects are sorted in ascending
 * order. The default is 0. If two resources have the same value, the older one comes first.
 */
export const orderAnnotation = "sdewan.akraino.org/order";

/**
 * Annotation of CNF Deployments: the stage of the CNF, `"0"` to `"9"`. A change reaches a CNF after it has proved itself on all CNFs with a
 * lower stage in the same namespace.
 */
export const stageAnnotation = "sdewan.akraino.org/stage";

/**
 * Annotation of resources: with the value `now`, a change goes on to the next stage at once. The operator removes it when that happens.
 */
export const releaseAnnotation = "sdewan.akraino.org/release";

/** Annotation of resources: while it is `true`, the operator leaves the resource unchanged, on the CNF and in the cluster. */
export const pausedAnnotation = "kubewright.dev/paused";

/**
 * Annotation of Deployments: time within which the probes of a CNF must pass after a change, such as `30s`; otherwise, the
 * operator rolls the change back. `off` applies changes without a confirmation. Default: the value of `--confirm-changes`.
 */
export const confirmAnnotation = "sdewan.akraino.org/confirm-changes";

/** Annotation of Deployments: probes that must pass after a change, such as `tunnel/site-a, tcp/10.0.0.1:443`. */
export const probeAnnotation = "sdewan.akraino.org/probe";

/** Annotation of resources: a new value makes the operator try a change again that was rolled back. */
export const retryAnnotation = "sdewan.akraino.org/retry";
