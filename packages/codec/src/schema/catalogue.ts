import type { GroupVersionKind, Scope } from "@kubewright/apimachinery";

type CatalogueVerb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** One built-in resource in one version, as discovery shows it. */
export interface CatalogueEntry {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly listKind: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: Scope;
  readonly verbs: readonly CatalogueVerb[];
  readonly subresources: readonly {
    readonly name: string;
    readonly verbs: readonly CatalogueVerb[];
    readonly kind: GroupVersionKind;
  }[];
}

/*
 * What kube-apiserver 1.36.3 serves by default, in the order of its discovery. A line is
 *   resource Kind singular N|C verbs [shortNames] <categories> subresource[:verbs][=group/version/Kind]
 * where N is namespaced, `*` is all verbs, and a subresource has get, patch and update and its parent's kind unless stated.
 */
const table = `
## v1
bindings Binding binding N create
componentstatuses ComponentStatus componentstatus C get,list [cs]
configmaps ConfigMap configmap N * [cm]
endpoints Endpoints endpoints N * [ep]
events Event event N * [ev]
limitranges LimitRange limitrange N * [limits]
namespaces Namespace namespace C create,delete,get,list,patch,update,watch [ns] finalize:update status
nodes Node node C * [no] proxy:create,delete,get,patch,update=//NodeProxyOptions status
persistentvolumeclaims PersistentVolumeClaim persistentvolumeclaim N * [pvc] status
persistentvolumes PersistentVolume persistentvolume C * [pv] status
pods Pod pod N * [po] <all> attach:create,get=//PodAttachOptions binding:create=//Binding ephemeralcontainers eviction:create=policy/v1/Eviction exec:create,get=//PodExecOptions log:get portforward:create,get=//PodPortForwardOptions proxy:create,delete,get,patch,update=//PodProxyOptions resize status
podtemplates PodTemplate podtemplate N *
replicationcontrollers ReplicationController replicationcontroller N * [rc] <all> scale=autoscaling/v1/Scale status
resourcequotas ResourceQuota resourcequota N * [quota] status
secrets Secret secret N *
serviceaccounts ServiceAccount serviceaccount N * [sa] token:create=authentication.k8s.io/v1/TokenRequest
services Service service N * [svc] <all> proxy:create,delete,get,patch,update=//ServiceProxyOptions status
## apiregistration.k8s.io/v1
apiservices APIService apiservice C * <api-extensions> status
## apps/v1
controllerrevisions ControllerRevision controllerrevision N *
daemonsets DaemonSet daemonset N * [ds] <all> status
deployments Deployment deployment N * [deploy] <all> scale=autoscaling/v1/Scale status
replicasets ReplicaSet replicaset N * [rs] <all> scale=autoscaling/v1/Scale status
statefulsets StatefulSet statefulset N * [sts] <all> scale=autoscaling/v1/Scale status
## events.k8s.io/v1
events Event event N * [ev]
## authentication.k8s.io/v1
selfsubjectreviews SelfSubjectReview selfsubjectreview C create
tokenreviews TokenReview tokenreview C create
## authorization.k8s.io/v1
localsubjectaccessreviews LocalSubjectAccessReview localsubjectaccessreview N create
selfsubjectaccessreviews SelfSubjectAccessReview selfsubjectaccessreview C create
selfsubjectrulesreviews SelfSubjectRulesReview selfsubjectrulesreview C create
subjectaccessreviews SubjectAccessReview subjectaccessreview C create
## autoscaling/v2
horizontalpodautoscalers HorizontalPodAutoscaler horizontalpodautoscaler N * [hpa] <all> status
## autoscaling/v1
horizontalpodautoscalers HorizontalPodAutoscaler horizontalpodautoscaler N * [hpa] <all> status
## batch/v1
cronjobs CronJob cronjob N * [cj] <all> status
jobs Job job N * <all> status
## certificates.k8s.io/v1
certificatesigningrequests CertificateSigningRequest certificatesigningrequest C * [csr] approval status
## networking.k8s.io/v1
ingressclasses IngressClass ingressclass C *
ingresses Ingress ingress N * [ing] status
ipaddresses IPAddress ipaddress C * [ip]
networkpolicies NetworkPolicy networkpolicy N * [netpol]
servicecidrs ServiceCIDR servicecidr C * status
## policy/v1
poddisruptionbudgets PodDisruptionBudget poddisruptionbudget N * [pdb] status
## rbac.authorization.k8s.io/v1
clusterrolebindings ClusterRoleBinding clusterrolebinding C *
clusterroles ClusterRole clusterrole C *
rolebindings RoleBinding rolebinding N *
roles Role role N *
## storage.k8s.io/v1
csidrivers CSIDriver csidriver C *
csinodes CSINode csinode C *
csistoragecapacities CSIStorageCapacity csistoragecapacity N *
storageclasses StorageClass storageclass C * [sc]
volumeattachments VolumeAttachment volumeattachment C * status
volumeattributesclasses VolumeAttributesClass volumeattributesclass C * [vac]
## admissionregistration.k8s.io/v1
mutatingadmissionpolicies MutatingAdmissionPolicy mutatingadmissionpolicy C * <api-extensions>
mutatingadmissionpolicybindings MutatingAdmissionPolicyBinding mutatingadmissionpolicybinding C * <api-extensions>
mutatingwebhookconfigurations MutatingWebhookConfiguration mutatingwebhookconfiguration C * <api-extensions>
validatingadmissionpolicies ValidatingAdmissionPolicy validatingadmissionpolicy C * <api-extensions> status
validatingadmissionpolicybindings ValidatingAdmissionPolicyBinding validatingadmissionpolicybinding C * <api-extensions>
validatingwebhookconfigurations ValidatingWebhookConfiguration validatingwebhookconfiguration C * <api-extensions>
## apiextensions.k8s.io/v1
customresourcedefinitions CustomResourceDefinition customresourcedefinition C * [crd,crds] <api-extensions> status
## scheduling.k8s.io/v1
priorityclasses PriorityClass priorityclass C * [pc]
## coordination.k8s.io/v1
leases Lease lease N *
## node.k8s.io/v1
runtimeclasses RuntimeClass runtimeclass C *
## discovery.k8s.io/v1
endpointslices EndpointSlice endpointslice N *
## resource.k8s.io/v1
deviceclasses DeviceClass deviceclass C *
resourceclaims ResourceClaim resourceclaim N * status
resourceclaimtemplates ResourceClaimTemplate resourceclaimtemplate N *
resourceslices ResourceSlice resourceslice C *
## flowcontrol.apiserver.k8s.io/v1
flowschemas FlowSchema flowschema C * status
prioritylevelconfigurations PriorityLevelConfiguration prioritylevelconfiguration C * status
`;

const allVerbs: readonly CatalogueVerb[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];
const isVerb = (text: string): text is CatalogueVerb => allVerbs.some((verb) => verb === text);
const verbsOf = (text: string): readonly CatalogueVerb[] => (text === "*" ? allVerbs : text.split(",").filter(isVerb));

/** Every built-in resource, core group first, versions of a group in order of preference. */
export const builtinCatalogue: readonly CatalogueEntry[] = readCatalogue();

function readCatalogue(): CatalogueEntry[] {
  const entries: CatalogueEntry[] = [];
  let group = "";
  let version = "";
  for (const line of table.trim().split("\n")) {
    const [first = "", kind = "", singular = "", scope = "", verbs = "", ...rest] = line.split(" ");
    if (first === "##") {
      const at = kind.indexOf("/");
      group = at < 0 ? "" : kind.slice(0, at);
      version = kind.slice(at + 1);
      continue;
    }
    const own: GroupVersionKind = { group, version, kind };
    entries.push({
      ...own,
      resource: first,
      listKind: `${kind}List`,
      singular,
      scope: scope === "N" ? "Namespaced" : "Cluster",
      verbs: verbsOf(verbs),
      shortNames: bracketed(rest, "["),
      categories: bracketed(rest, "<"),
      subresources: rest.filter((word) => /^[a-z]/.test(word)).map((word) => subresource(word, own)),
    });
  }
  return entries;
}

function bracketed(words: readonly string[], open: string): string[] {
  return words.filter((word) => word.startsWith(open)).flatMap((word) => word.slice(1, -1).split(","));
}

function subresource(word: string, own: GroupVersionKind): CatalogueEntry["subresources"][number] {
  const [left = "", type] = word.split("=", 2);
  const [name = "", verbs = "get,patch,update"] = left.split(":", 2);
  if (type === undefined) return { name, verbs: verbsOf(verbs), kind: own };
  const [group = "", version = "", kind = ""] = type.split("/");
  return { name, verbs: verbsOf(verbs), kind: { group, version: version || own.version, kind } };
}
