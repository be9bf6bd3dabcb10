import { celType } from "../values/type.ts";

/** The types that Kubernetes adds to CEL, such as those for quantities, URLs and permission checks. */
export const kubernetesTypes = {
  url: celType.struct("kubernetes.URL"),
  quantity: celType.struct("kubernetes.Quantity"),
  semver: celType.struct("kubernetes.Semver"),
  format: celType.struct("kubernetes.NamedFormat"),
  ip: celType.opaque("net.IP"),
  cidr: celType.opaque("net.CIDR"),
  authorizer: celType.struct("kubernetes.authorization.Authorizer"),
  pathCheck: celType.struct("kubernetes.authorization.PathCheck"),
  groupCheck: celType.struct("kubernetes.authorization.GroupCheck"),
  resourceCheck: celType.struct("kubernetes.authorization.ResourceCheck"),
  decision: celType.struct("kubernetes.authorization.Decision"),
} as const;
