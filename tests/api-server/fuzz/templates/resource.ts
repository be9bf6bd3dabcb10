import { inDefault, metadata, type Template } from "./template.ts";

const resource = "/apis/resource.k8s.io/v1";
const selectors = [{ cel: { expression: "device.driver == 'd.example.com'" } }];
const claim = {
  devices: {
    requests: [
      {
        name: "r",
        exactly: {
          deviceClassName: "dc",
          selectors,
          allocationMode: "ExactCount",
          count: 2,
          tolerations: [{ key: "k", operator: "Exists" }],
        },
      },
      { name: "f", firstAvailable: [{ name: "s", deviceClassName: "dc", allocationMode: "All" }] },
    ],
    constraints: [{ requests: ["r"], matchAttribute: "d.example.com/a" }],
    config: [{ requests: ["r"], opaque: { driver: "d.example.com", parameters: { a: 1 } } }],
  },
};

export const resourceTemplates: readonly Template[] = [
  { collection: inDefault(resource, "resourceclaims"), object: { metadata: metadata("rcl"), spec: claim } },
  {
    collection: inDefault(resource, "resourceclaimtemplates"),
    object: { metadata: metadata("rct"), spec: { metadata: { labels: { a: "b" } }, spec: claim } },
  },
  {
    collection: `${resource}/deviceclasses`,
    object: {
      metadata: metadata("dc"),
      spec: { selectors, config: [{ opaque: { driver: "d.example.com", parameters: { a: 1 } } }] },
    },
  },
  {
    collection: `${resource}/resourceslices`,
    object: {
      metadata: metadata("rsl"),
      spec: {
        driver: "d.example.com",
        nodeName: "n",
        pool: { name: "p", generation: 1, resourceSliceCount: 1 },
        devices: [
          {
            name: "d",
            attributes: { a: { int: 1 }, "d.example.com/b": { string: "x" } },
            capacity: { m: { value: "1Gi" } },
            taints: [{ key: "k", effect: "NoSchedule" }],
          },
        ],
      },
    },
  },
];
