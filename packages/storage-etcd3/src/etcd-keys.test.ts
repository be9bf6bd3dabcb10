import { expect, test } from "vitest";
import { EtcdKeys } from "./etcd-keys.ts";

const keys = new EtcdKeys("/registry/");

test.each([
  ["/core/configmaps/default/a", "/registry/configmaps/default/a"],
  ["/core/namespaces/default", "/registry/namespaces/default"],
  ["/core/nodes/n", "/registry/minions/n"],
  ["/core/services/default/s", "/registry/services/specs/default/s"],
  ["/core/endpoints/default/s", "/registry/services/endpoints/default/s"],
  ["/core/replicationcontrollers/default/r", "/registry/controllers/default/r"],
  ["/core/events/default/e", "/registry/events/default/e"],
  ["/apps/deployments/default/d", "/registry/deployments/default/d"],
  ["/networking.k8s.io/ingresses/default/i", "/registry/ingress/default/i"],
  ["/rbac.authorization.k8s.io/clusterroles/admin", "/registry/clusterroles/admin"],
  [
    "/apiextensions.k8s.io/customresourcedefinitions/sites.example.com",
    "/registry/apiextensions.k8s.io/customresourcedefinitions/sites.example.com",
  ],
  ["/apiregistration.k8s.io/apiservices/v1.", "/registry/apiregistration.k8s.io/apiservices/v1."],
  ["/example.com/sites/default/a", "/registry/example.com/sites/default/a"],
  ["/example.com/regions/eu", "/registry/example.com/regions/eu"],
])("%s is %s", (ours, theirs) => {
  expect(keys.toEtcd(ours)).toBe(theirs);
  expect(keys.fromEtcd(theirs)).toBe(ours);
});

test("prefixes keep their slash", () => {
  expect(keys.toEtcd("/core/services/default/")).toBe("/registry/services/specs/default/");
});

test.each(["/registry/ranges/serviceips", "/registry/masterleases/10.0.0.1", "/elsewhere/pods/default/p"])(
  "%s contains no object",
  (key) => expect(keys.fromEtcd(key)).toBeUndefined(),
);
