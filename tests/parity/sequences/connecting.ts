import { get, patch, post, type RequestStep, type Sequence } from "../runner/sequence.ts";
import { pod } from "./objects.ts";

const containers = (...names: readonly string[]) => names.map((name) => ({ name, image: "nginx:1.27" }));
const from = (path: string, parts: Partial<RequestStep> = {}): RequestStep => get(path, `~/pods/${path}`, parts);
const byService = (path: string): RequestStep => get(`service ${path}`, `~/services/${path}`);
const asGetter = { as: "getter" };
const merge = (id: string, path: string, status: object): RequestStep => patch(id, "merge", path, { status });
const method = (name: "HEAD" | "OPTIONS" | "PUT" | "PATCH" | "DELETE", path: string): RequestStep => ({
  id: `${name} ${path}`,
  method: name,
  path: `~/pods/${path}`,
});

/** Answers that the server gives before it contacts a kubelet, or anything behind an object. */
export const connecting: readonly Sequence[] = [
  {
    name: "pods-to-connect-to",
    steps: [
      post("one", "~/pods", pod("one", { containers: containers("a") })),
      post("many", "~/pods", pod("many", { containers: containers("a", "b"), initContainers: containers("i") })),
      post("on a ghost", "~/pods", pod("ghostly", { containers: containers("a"), nodeName: "ghost" })),
      post("node", "/api/v1/nodes", { metadata: { name: "bare-node" } }),
      post("on a node", "~/pods", pod("placed", { containers: containers("a"), nodeName: "bare-node" })),
      ...["exec", "attach", "portforward", "log", "proxy"].flatMap((name) =>
        ["one", "many", "ghostly", "placed", "absent"].map((pod) => from(`${pod}/${name}`)),
      ),
      from("many/exec?container=x"),
      from("many/exec?container=i&command=ls&stdin=maybe"),
      ...["x", "", "-1", "70000", "1,", "1,2"].map((ports) => from(`one/portforward?ports=${ports}`)),
      ...["a:b:c:d", "one:80:90", "ftp:one:80", "http:one:80", "one:80"].map((name) => from(`${name}/proxy/`)),
      ...["sinceTime=bad", "sinceTime=", "sinceSeconds=0", "sinceSeconds=1&sinceTime=2020-01-01T00:00:00Z"].map(
        (query) => from(`one/log?${query}`),
      ),
      ...["limitBytes=-1&tailLines=-3", "tailLines=x", "tailLines=", "stream=Stdout", "container=b", "follow=1"].map(
        (query) => from(`one/log?${query}`),
      ),
      from("absent/log?tailLines=-1"),
      method("HEAD", "one/log"),
      method("HEAD", "one/exec"),
      method("HEAD", "one/proxy/"),
      method("PUT", "one/exec"),
      method("PUT", "one/proxy/x"),
      method("OPTIONS", "one/proxy/x"),
      method("PATCH", "one/proxy/x"),
      method("DELETE", "one/proxy"),
      merge("loopback", "~/pods/one/status", { podIP: "127.0.0.1", podIPs: [{ ip: "127.0.0.1" }] }),
      get("proxy to loopback", "~/pods/one/proxy/"),
      merge("useless address", "/api/v1/nodes/bare-node/status", { addresses: [{ type: "Foo", address: "1.2.3.4" }] }),
      get("useless address, exec", "~/pods/placed/exec"),
      merge("loopback address", "/api/v1/nodes/bare-node/status", {
        addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
      }),
      get("no upgrade", "~/pods/placed/exec"),
      get("no upgrade to forward", "~/pods/placed/portforward?ports=80"),
    ],
  },
  {
    name: "nodes-and-services-to-connect-to",
    steps: [
      post("node", "/api/v1/nodes", { metadata: { name: "other-node" } }),
      ...["other-node", "other-node:10250", "absent", "a:b:c:d"].map((name) =>
        get(`node ${name}`, `/api/v1/nodes/${name}/proxy/healthz`),
      ),
      merge("address", "/api/v1/nodes/other-node/status", {
        addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
      }),
      get("loopback", "/api/v1/nodes/other-node/proxy/"),
      post("service", "~/services", { metadata: { name: "s" }, spec: { ports: [{ name: "a", port: 80 }] } }),
      ...["s/proxy/", "s:80/proxy/", "s:81/proxy/", "s:a/proxy", "a:b:c:d/proxy", "absent/proxy"].map(byService),
      post("endpoints", "~/endpoints", { metadata: { name: "s" } }),
      get("none", "~/services/s:a/proxy"),
      patch("one address", "merge", "~/endpoints/s", {
        subsets: [{ addresses: [{ ip: "10.1.1.1" }], ports: [{ name: "a", port: 80 }] }],
      }),
      get("another port", "~/services/s:b/proxy"),
      get("no name", "~/services/s/proxy"),
    ],
  },
  {
    name: "services-without-pods",
    steps: [
      post("pod", "~/pods", pod("one", { containers: containers("a") })),
      merge("address of the pod", "~/pods/one/status", { podIP: "10.1.1.1", podIPs: [{ ip: "10.1.1.1" }] }),
      ...Object.entries({
        none: undefined,
        absent: { kind: "Pod", namespace: "services-without-pods", name: "absent" },
        elsewhere: { kind: "Pod", namespace: "default", name: "one" },
        nowhere: { kind: "Pod", name: "one" },
        moved: { kind: "Pod", namespace: "services-without-pods", name: "one" },
      }).flatMap(([name, targetRef]) => [
        post(`slice ${name}`, "discovery.k8s.io~/endpointslices", {
          metadata: { name, labels: { "kubernetes.io/service-name": name } },
          addressType: "IPv4",
          ports: [{ name: "a", port: 80 }],
          endpoints: [{ addresses: ["10.1.1.2", "10.1.1.1"], ...(targetRef ? { targetRef } : {}) }],
        }),
        get(`service ${name}`, `~/services/${name}:a/proxy`),
      ]),
    ],
  },
  {
    name: "right-to-connect",
    steps: [
      post("one", "~/pods", pod("one", { containers: containers("a") })),
      post("role", "/apis/rbac.authorization.k8s.io/v1/namespaces/right-to-connect/roles", {
        metadata: { name: "getter" },
        rules: [{ apiGroups: [""], resources: ["pods/exec", "pods/attach", "pods/proxy"], verbs: ["get"] }],
      }),
      post("binding", "/apis/rbac.authorization.k8s.io/v1/namespaces/right-to-connect/rolebindings", {
        metadata: { name: "getter" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "getter" },
        subjects: [{ kind: "User", name: "getter", apiGroup: "rbac.authorization.k8s.io" }],
      }),
      get("proxy", "~/pods/one/proxy", { ...asGetter, until: (body) => body.code !== 403 }),
      get("exec", "~/pods/one/exec", asGetter),
      get("attach", "~/pods/absent/attach", asGetter),
      post("by POST", "~/pods/one/exec", undefined, asGetter),
    ],
  },
];
