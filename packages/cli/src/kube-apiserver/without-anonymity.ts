import type { ApiServerOptions } from "@kubewright/kube-apiserver";

/**
 * Disables anonymous requests if the authorizer allows all requests.
 *
 * @see kubernetes pkg/kubeapiserver/options BuiltInAuthenticationOptions.ApplyAuthorization
 */
export function withoutAnonymity<T extends Pick<ApiServerOptions, "authentication" | "authorization">>(
  options: T,
  warn: (text: string) => void,
): T {
  const { authentication = {}, authorization = {} } = options;
  const allowsAll = modesOf(authorization).includes("AlwaysAllow");
  if (!allowsAll || authentication.anonymousAuth === false) return options;
  warn(
    "AnonymousAuth is not allowed with the AlwaysAllow authorizer. Resetting AnonymousAuth to false. You should use a different authorizer",
  );
  return { ...options, authentication: { ...authentication, anonymousAuth: false } };
}

function modesOf(authorization: NonNullable<ApiServerOptions["authorization"]>): readonly string[] {
  if (!("authorizationConfig" in authorization) && !("authorizationModes" in authorization))
    return Array.isArray(authorization) ? authorization : ["AlwaysAllow"];
  return authorization.authorizationModes ?? [];
}
