// Generated from the Go types of k8s.io/api 0.36.3; the notation is explained in ../parse-type-table.ts.
/** Types of networking.k8s.io/v1. */
export const networkingV1Types = `
## networking.k8s.io/v1 io.k8s.api.networking.v1
HTTPIngressPath = 1 path:string, 3 pathType!:string?*@enum(Exact|ImplementationSpecific|Prefix), 2 backend!:IngressBackend*
HTTPIngressRuleValue = 1 paths!:[HTTPIngressPath]*
IPAddress = 1 metadata:meta.ObjectMeta, 2 spec:IPAddressSpec*
IPAddressSpec = 1 parentRef:ParentReference?*
IPBlock = 1 cidr!:string*, 2 except:[string]
Ingress = 1 metadata:meta.ObjectMeta, 2 spec:IngressSpec, 3 status:IngressStatus
IngressBackend = 4 service:IngressServiceBackend?, 3 resource:core.TypedLocalObjectReference?
IngressClass = 1 metadata:meta.ObjectMeta, 2 spec:IngressClassSpec
IngressClassParametersReference = 1 apiGroup:string?, 2 kind!:string*, 3 name!:string*, 4 scope!:string?, 5 namespace:string?
IngressClassSpec = 1 controller:string, 2 parameters:IngressClassParametersReference?
IngressLoadBalancerIngress = 1 ip:string, 2 hostname:string, 4 ports:[IngressPortStatus]
IngressLoadBalancerStatus = 1 ingress:[IngressLoadBalancerIngress]
IngressPortStatus = 1 port!:int32*, 2 protocol!:string*@enum(SCTP|TCP|UDP), 3 error:string?
IngressRule = 1 host:string, 2 ^IngressRuleValue
IngressRuleValue = 1 http:HTTPIngressRuleValue?
IngressServiceBackend = 1 name!:string*, 2 port:ServiceBackendPort
IngressSpec = 4 ingressClassName:string?, 1 defaultBackend:IngressBackend?, 2 tls:[IngressTLS], 3 rules:[IngressRule]
IngressStatus = 1 loadBalancer:IngressLoadBalancerStatus
IngressTLS = 1 hosts:[string], 2 secretName:string
NetworkPolicy = 1 metadata:meta.ObjectMeta, 2 spec:NetworkPolicySpec
NetworkPolicyEgressRule = 1 ports:[NetworkPolicyPort], 2 to:[NetworkPolicyPeer]
NetworkPolicyIngressRule = 1 ports:[NetworkPolicyPort], 2 from:[NetworkPolicyPeer]
NetworkPolicyPeer = 1 podSelector:meta.LabelSelector?, 2 namespaceSelector:meta.LabelSelector?, 3 ipBlock:IPBlock?
NetworkPolicyPort = 1 protocol:string?@enum(SCTP|TCP|UDP), 2 port:IntOrString?, 3 endPort:int32?
NetworkPolicySpec = 1 podSelector!:meta.LabelSelector, 2 ingress:[NetworkPolicyIngressRule], 3 egress:[NetworkPolicyEgressRule], 4 policyTypes:[string]@enum(Egress|Ingress)
ParentReference = 1 group:string, 2 resource:string*, 3 namespace:string, 4 name:string*
ServiceBackendPort = @atomic 1 name:string, 2 number:int32
ServiceCIDR = 1 metadata:meta.ObjectMeta, 2 spec:ServiceCIDRSpec, 3 status:ServiceCIDRStatus
ServiceCIDRSpec = 1 cidrs:[string]
ServiceCIDRStatus = 1 conditions:[meta.Condition]@map(type)@merge(type)
`;
