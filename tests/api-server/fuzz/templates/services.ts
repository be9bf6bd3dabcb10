import { inDefault, metadata, type Template } from "./template.ts";

const service = (name: string, spec: Record<string, unknown>): Template => ({
  collection: inDefault("core", "services"),
  object: { metadata: metadata(name), spec },
  status: { loadBalancer: { ingress: [{ ip: "1.2.3.4", ports: [{ port: 80, protocol: "TCP" }] }] } },
});
const selector = { a: "b" };
const networking = "/apis/networking.k8s.io/v1";

export const serviceTemplates: readonly Template[] = [
  service("svc", {
    selector,
    type: "ClusterIP",
    ports: [
      { name: "http", port: 80, targetPort: "http", protocol: "TCP", appProtocol: "http" },
      { name: "dns", port: 53, protocol: "UDP" },
    ],
    sessionAffinity: "ClientIP",
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } },
    internalTrafficPolicy: "Local",
    ipFamilyPolicy: "SingleStack",
    ipFamilies: ["IPv4"],
    externalIPs: ["1.2.3.4"],
    publishNotReadyAddresses: true,
  }),
  service("svc-none", { selector, clusterIP: "None", ports: [{ port: 80 }] }),
  service("svc-port", {
    selector,
    type: "NodePort",
    externalTrafficPolicy: "Cluster",
    ports: [{ port: 80, nodePort: 30123 }],
  }),
  service("svc-lb", {
    selector,
    type: "LoadBalancer",
    externalTrafficPolicy: "Local",
    healthCheckNodePort: 30124,
    ports: [{ port: 80, nodePort: 30125 }],
    loadBalancerIP: "1.2.3.4",
    loadBalancerSourceRanges: ["10.0.0.0/8"],
    allocateLoadBalancerNodePorts: true,
    loadBalancerClass: "example.com/lb",
    trafficDistribution: "PreferClose",
  }),
  service("svc-name", { type: "ExternalName", externalName: "a.example.com" }),
  {
    collection: inDefault("core", "endpoints"),
    object: {
      metadata: metadata("ep"),
      subsets: [
        {
          addresses: [{ ip: "1.2.3.4", hostname: "h", nodeName: "n", targetRef: { kind: "Pod", name: "p" } }],
          notReadyAddresses: [{ ip: "1.2.3.5" }],
          ports: [{ name: "http", port: 80, protocol: "TCP", appProtocol: "http" }],
        },
      ],
    },
  },
  {
    collection: inDefault("/apis/discovery.k8s.io/v1", "endpointslices"),
    object: {
      metadata: metadata("es"),
      addressType: "IPv4",
      endpoints: [
        {
          addresses: ["1.2.3.4"],
          conditions: { ready: true, serving: true, terminating: false },
          hostname: "h",
          nodeName: "n",
          zone: "z",
          hints: { forZones: [{ name: "z" }] },
          targetRef: { kind: "Pod", name: "p" },
          deprecatedTopology: { k: "v" },
        },
      ],
      ports: [{ name: "http", port: 80, protocol: "TCP", appProtocol: "http" }],
    },
  },
  {
    collection: inDefault(networking, "ingresses"),
    object: {
      metadata: metadata("i"),
      spec: {
        ingressClassName: "ic",
        defaultBackend: { resource: { apiGroup: "k", kind: "K", name: "n" } },
        tls: [{ hosts: ["a.b"], secretName: "s" }],
        rules: [
          {
            host: "a.b",
            http: {
              paths: [
                { path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { number: 80 } } } },
                { path: "/x", pathType: "Exact", backend: { service: { name: "s", port: { name: "http" } } } },
              ],
            },
          },
        ],
      },
    },
    status: { loadBalancer: { ingress: [{ hostname: "a.b", ports: [{ port: 80, protocol: "TCP", error: "E" }] }] } },
  },
  {
    collection: `${networking}/ingressclasses`,
    object: {
      metadata: metadata("ic"),
      spec: {
        controller: "example.com/c",
        parameters: { apiGroup: "k.example.com", kind: "P", name: "p", namespace: "default", scope: "Namespace" },
      },
    },
  },
  {
    collection: inDefault(networking, "networkpolicies"),
    object: {
      metadata: metadata("np"),
      spec: {
        podSelector: { matchLabels: { a: "b" }, matchExpressions: [{ key: "k", operator: "In", values: ["v"] }] },
        policyTypes: ["Ingress", "Egress"],
        ingress: [
          {
            from: [
              { ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } },
              { namespaceSelector: {}, podSelector: { matchLabels: { a: "b" } } },
            ],
            ports: [{ port: 80, endPort: 90, protocol: "TCP" }],
          },
        ],
        egress: [{ to: [{ podSelector: {} }], ports: [{ port: "http" }] }],
      },
    },
  },
  { collection: `${networking}/servicecidrs`, object: { metadata: metadata("sc"), spec: { cidrs: ["10.97.0.0/24"] } } },
  {
    collection: `${networking}/ipaddresses`,
    object: {
      metadata: metadata("10.97.0.9"),
      spec: { parentRef: { group: "", resource: "services", namespace: "default", name: "svc" } },
    },
  },
];
