import type { KubeObject } from "@kubewright/apimachinery";

export interface ServicePort {
  name?: string;
  protocol?: string;
  port?: number;
  targetPort?: number | string;
  nodePort?: number;
  appProtocol?: string;
}

export interface Service extends KubeObject {
  spec?: {
    type?: string;
    ports?: ServicePort[];
    selector?: Record<string, string>;
    clusterIP?: string;
    clusterIPs?: string[];
    externalIPs?: string[];
    externalName?: string;
    sessionAffinity?: string;
    sessionAffinityConfig?: { clientIP?: { timeoutSeconds?: number } };
    externalTrafficPolicy?: string;
    internalTrafficPolicy?: string;
    ipFamilies?: string[];
    ipFamilyPolicy?: string;
    allocateLoadBalancerNodePorts?: boolean;
    loadBalancerIP?: string;
    loadBalancerClass?: string;
    loadBalancerSourceRanges?: string[];
    healthCheckNodePort?: number;
    trafficDistribution?: string;
    publishNotReadyAddresses?: boolean;
  };
  status?: { loadBalancer?: { ingress?: { ip?: string; hostname?: string }[] } };
}
