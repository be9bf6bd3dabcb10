import { crdResource } from "@kubewright/apiextensions";
import type { ServingContext } from "@kubewright/apiserver/server";
import { GenericServer } from "@kubewright/apiserver/server";
import { createBinding } from "../endpoints/binding.ts";
import { readComponents } from "../endpoints/component-statuses.ts";
import { connectSubresources } from "../endpoints/connect.ts";
import { logSubresource } from "../endpoints/pod-log.ts";
import { type ReviewParts, reviewHandlers } from "../endpoints/reviews.ts";
import { subresourceHandlers } from "../endpoints/subresource-handlers.ts";
import { type TokenRequestParts, tokenRequestSubresource } from "../endpoints/token-request.ts";
import type { Kubelets } from "../kubelet/kubelets.ts";
import { builtinResources } from "./builtin-resources.ts";
import { isSwitchedOn, type RuntimeConfig } from "./runtime-config.ts";

/** Creates the server for the built-in groups. @see kubernetes pkg/controlplane */
export function kubeServer(
  context: ServingContext,
  parts: ReviewParts & TokenRequestParts & { readonly kubelets?: Kubelets | undefined },
  eventTtlSeconds?: number,
  runtimeConfig: RuntimeConfig = {},
): GenericServer {
  const handlers = new Map([...subresourceHandlers, ...connectSubresources({ ...parts, clock: context.clock })]);
  handlers.set("serviceaccounts/token", tokenRequestSubresource(parts));
  handlers.set("pods/log", logSubresource(parts.kubelets));
  const server = new GenericServer("kube", handlers);
  const reviews = reviewHandlers(parts);
  const resources = builtinResources(
    (entry) => entry.group !== crdResource.group && isSwitchedOn(entry, runtimeConfig),
    eventTtlSeconds === undefined ? {} : { eventTtlSeconds },
  );
  server.resources.addAll(
    resources.map((resource) => {
      const create = resource.resource === "bindings" ? createBinding : reviews.get(resource.resource);
      return context.scopeOf(resource, create, resource.resource === "componentstatuses" ? readComponents : undefined);
    }),
  );
  context.served.add(server.resources);
  return server;
}

/** Creates the server for CRDs and custom resources. A controller adds the resource of each CRD. @see apiextensions-apiserver */
export function apiExtensionsServer(context: ServingContext): GenericServer {
  const server = new GenericServer("apiextensions", subresourceHandlers);
  const resources = builtinResources(({ group }) => group === crdResource.group);
  server.resources.addAll(resources.map((resource) => context.scopeOf(resource)));
  context.served.add(server.resources);
  return server;
}
