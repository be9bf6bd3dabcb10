// Generated from the Go types of k8s.io/api 0.36.3; the notation is explained in ../parse-type-table.ts.
/** Types of authentication.k8s.io/v1, authorization.k8s.io/v1, certificates.k8s.io/v1, rbac.authorization.k8s.io/v1. */
export const accessControlV1Types = `
## authentication.k8s.io/v1 io.k8s.api.authentication.v1
BoundObjectReference = 1 kind:string, 2 apiVersion:string, 3 name:string, 4 uid:string
SelfSubjectReview = 1 metadata:meta.ObjectMeta, 2 status:SelfSubjectReviewStatus
SelfSubjectReviewStatus = 1 userInfo:UserInfo
TokenRequest = 1 metadata:meta.ObjectMeta, 2 spec!:TokenRequestSpec, 3 status:TokenRequestStatus
TokenRequestSpec = 1 audiences!:[string], 4 expirationSeconds!:int64?, 3 boundObjectRef!:BoundObjectReference?
TokenRequestStatus = 1 token!:string, 2 expirationTimestamp!:Time
TokenReview = 1 metadata:meta.ObjectMeta, 2 spec!:TokenReviewSpec*, 3 status:TokenReviewStatus
TokenReviewSpec = 1 token:string*, 2 audiences:[string]
TokenReviewStatus = 1 authenticated:bool, 2 user:UserInfo, 4 audiences:[string], 3 error:string
UserInfo = 1 username:string, 2 uid:string, 3 groups:[string], 4 extra:{ExtraValue}
## authorization.k8s.io/v1 io.k8s.api.authorization.v1
FieldSelectorAttributes = 1 rawSelector:string, 2 requirements:[meta.FieldSelectorRequirement]
LabelSelectorAttributes = 1 rawSelector:string, 2 requirements:[meta.LabelSelectorRequirement]
LocalSubjectAccessReview = 1 metadata:meta.ObjectMeta, 2 spec!:SubjectAccessReviewSpec*, 3 status:SubjectAccessReviewStatus
NonResourceAttributes = 1 path:string, 2 verb:string
NonResourceRule = 1 verbs!:[string]*, 2 nonResourceURLs:[string]
ResourceAttributes = 1 namespace:string, 2 verb:string, 3 group:string, 4 version:string, 5 resource:string, 6 subresource:string, 7 name:string, 8 fieldSelector:FieldSelectorAttributes?, 9 labelSelector:LabelSelectorAttributes?
ResourceRule = 1 verbs!:[string]*, 2 apiGroups:[string], 3 resources:[string], 4 resourceNames:[string]
SelfSubjectAccessReview = 1 metadata:meta.ObjectMeta, 2 spec!:SelfSubjectAccessReviewSpec*, 3 status:SubjectAccessReviewStatus
SelfSubjectAccessReviewSpec = 1 resourceAttributes:ResourceAttributes?, 2 nonResourceAttributes:NonResourceAttributes?
SelfSubjectRulesReview = 1 metadata:meta.ObjectMeta, 2 spec!:SelfSubjectRulesReviewSpec*, 3 status:SubjectRulesReviewStatus
SelfSubjectRulesReviewSpec = 1 namespace:string
SubjectAccessReview = 1 metadata:meta.ObjectMeta, 2 spec!:SubjectAccessReviewSpec*, 3 status:SubjectAccessReviewStatus
SubjectAccessReviewSpec = 1 resourceAttributes:ResourceAttributes?, 2 nonResourceAttributes:NonResourceAttributes?, 3 user:string, 4 groups:[string], 5 extra:{ExtraValue}, 6 uid:string
SubjectAccessReviewStatus = 1 allowed!:bool*, 4 denied:bool, 2 reason:string, 3 evaluationError:string
SubjectRulesReviewStatus = 1 resourceRules!:[ResourceRule]*, 2 nonResourceRules!:[NonResourceRule]*, 3 incomplete!:bool*, 4 evaluationError:string
## certificates.k8s.io/v1 io.k8s.api.certificates.v1
CertificateSigningRequest = 1 metadata:meta.ObjectMeta, 2 spec!:CertificateSigningRequestSpec*, 3 status:CertificateSigningRequestStatus
CertificateSigningRequestCondition = 1 type!:string*, 6 status!:string*, 2 reason:string, 3 message:string, 4 lastUpdateTime:Time, 5 lastTransitionTime:Time
CertificateSigningRequestSpec = 1 request!:bytes*, 7 signerName!:string*, 8 expirationSeconds:int32?, 5 usages:[string]@enum(any|cert sign|client auth|code signing|content commitment|crl sign|data encipherment|decipher only|digital signature|email protection|encipher only|ipsec end system|ipsec tunnel|ipsec user|key agreement|key encipherment|microsoft sgc|netscape sgc|ocsp signing|s/mime|server auth|signing|timestamping), 2 username:string, 3 uid:string, 4 groups:[string], 6 extra:{ExtraValue}
CertificateSigningRequestStatus = 1 conditions:[CertificateSigningRequestCondition]@map(type), 2 certificate:bytes
## rbac.authorization.k8s.io/v1 io.k8s.api.rbac.v1
AggregationRule = 1 clusterRoleSelectors:[meta.LabelSelector]
ClusterRole = 1 metadata:meta.ObjectMeta, 2 rules!:[PolicyRule], 3 aggregationRule:AggregationRule?
ClusterRoleBinding = 1 metadata:meta.ObjectMeta, 2 subjects:[Subject], 3 roleRef!:RoleRef*
PolicyRule = 1 verbs!:[string]*, 2 apiGroups:[string], 3 resources:[string], 4 resourceNames:[string], 5 nonResourceURLs:[string]
Role = 1 metadata:meta.ObjectMeta, 2 rules!:[PolicyRule]
RoleBinding = 1 metadata:meta.ObjectMeta, 2 subjects:[Subject], 3 roleRef!:RoleRef*
RoleRef = @atomic 1 apiGroup!:string, 2 kind!:string*, 3 name!:string*
Subject = @atomic 1 kind!:string*, 2 apiGroup:string, 3 name!:string*, 4 namespace:string
`;
