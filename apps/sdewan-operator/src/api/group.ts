/** Group and version of every kind here. */
export const group = "batch.sdewan.akraino.org";
export const version = "v1alpha1";

/** Links a Deployment, its pods and every custom resource to one CNF. */
export const purposeLabel = "sdewanPurpose";

/** On a CNF's pods: the Secret whose `password` is the CNF's root password. */
export const accountSecretLabel = "cnf-account-secret";

/** On a CNF's pods: the Secret whose `ca.crt` is trusted for TLS to the CNF. */
export const certSecretLabel = "cnf-cert-secret";

/** On a pod: the attached networks, as JSON. */
export const networksAnnotation = "k8s.plugin.opnfv.org/nfn-network";

/** On a pod: scheme and port where its CNF answers, such as `https:8443`; never a host. */
export const endpointAnnotation = "kubewright.dev/cnf-endpoint";

/** On a resource with our finalizer: the purpose of the CNF that may hold its object, whatever its label says by now. */
export const appliedPurposeAnnotation = "kubewright.dev/applied-purpose";

/** On a resource whose certificates the CNF does not give back: a hash of what was last sent. */
export const sentHashAnnotation = "kubewright.dev/sent-certificates";

/** On a resource that refers to Secrets: which versions of them the CNF has. */
export const appliedSecretsAnnotation = "kubewright.dev/applied-secrets";
/** On a resource: `true` has it left as it is, on the CNF and here, until the annotation is gone. */
export const pausedAnnotation = "kubewright.dev/paused";
