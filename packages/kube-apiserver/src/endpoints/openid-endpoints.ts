import { StatusError } from "@kubewright/apimachinery";
import { keySetPath, type OpenIdMetadata, openIdConfigurationPath } from "@kubewright/apiserver/authentication";
import type { ApiRequest } from "@kubewright/apiserver/endpoints";
import { methodNotAllowed, sendText } from "@kubewright/apiserver/endpoints";
import type { DelegationTarget } from "@kubewright/apiserver/server";

const documents: Readonly<Record<string, { readonly type: string; readonly of: keyof OpenIdMetadata }>> = {
  [openIdConfigurationPath]: { type: "application/json", of: "configuration" },
  [keySetPath]: { type: "application/jwk-set+json", of: "keySet" },
};

/** Serves the OpenID documents that other services need to verify ServiceAccount tokens. @see kubernetes pkg/routes/openidmetadata.go */
export function openIdEndpoints(metadata: () => OpenIdMetadata | undefined): DelegationTarget {
  return {
    async serve(request) {
      const document = documents[request.info.path];
      const content = document && metadata()?.[document.of];
      if (!document || content === undefined) return false;
      if (request.method !== "GET") throw methodNotAllowed();
      if (!accepts(request, document.type)) throw notAcceptable(document.type);
      request.response.setHeader("Cache-Control", "public, max-age=3600");
      sendText(request, 200, content, document.type);
      return true;
    },
  };
}

function accepts(request: ApiRequest, type: string): boolean {
  const accept = request.header("accept");
  if (!accept) return true;
  const ranges = accept.split(",").map((range) => range.split(";", 1)[0]?.trim() ?? "");
  return ranges.some((range) => range === "*/*" || range === "application/*" || range === type);
}

const notAcceptable = (type: string): StatusError =>
  new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `406: Not Acceptable\n\nAvailable representations: ${type}`,
    reason: "NotAcceptable",
    details: {},
    code: 406,
  });
