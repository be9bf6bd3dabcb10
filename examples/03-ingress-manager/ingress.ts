import {
  controllerReference,
  type DeepReadonly,
  type ObjectOf,
  type Stored,
} from "kubewright";
import type { Service } from "kubewright/kinds";

/** A Service with this annotation, with any value, gets an Ingress. */
export const annotation = "ingress/http";

/**
 * Returns the Ingress of a Service: all paths of
 * `<name>.<namespace>.example.com` lead to the Service's first port.
 */
export function ingressOf(
  service: Stored<DeepReadonly<ObjectOf<typeof Service>>>,
) {
  const { name, namespace } = service.metadata;
  const [first] = service.spec.ports ?? [];
  if (!first)
    throw new Error(`Service ${namespace}/${name} has no port for an Ingress`);
  const backend = { service: { name, port: { number: first.port } } };
  const http = { paths: [{ path: "/", pathType: "Prefix", backend }] };
  const metadata = {
    name,
    namespace,
    ownerReferences: [controllerReference(service)],
  };
  const spec = {
    ingressClassName: "nginx",
    rules: [{ host: `${name}.${namespace}.example.com`, http }],
  };
  return { metadata, spec };
}
