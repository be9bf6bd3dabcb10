import type { Parameter } from "./query-parameters.ts";
import { isSame, type Route, sharedParameters } from "./route.ts";
import type { Json, SchemaModels } from "./schema-models.ts";
import type { SharedParameters } from "./shared-parameters.ts";

const descriptions: Readonly<Record<string, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  401: "Unauthorized",
};

/** Returns the path item for the operations of one path, in OpenAPI v2. */
export function pathItemV2(routes: readonly Route[], models: SchemaModels, parameters: SharedParameters): Json {
  const shared = sharedParameters(routes);
  const operations = routes.map((route) => [route.method, operation(route, shared, models, parameters)] as const);
  return {
    ...Object.fromEntries(operations),
    ...(shared.length > 0 ? { parameters: shared.map((each) => parameters.share(parameterV2(each))) } : {}),
  };
}

function operation(
  route: Route,
  shared: readonly Parameter[],
  models: SchemaModels,
  parameters: SharedParameters,
): Json {
  const { body, kind, consumes, produces } = route;
  const bodyParameter = body && {
    name: "body",
    in: "body",
    ...(body.required ? { required: true } : {}),
    schema: models.referenceTo(body.model),
  };
  const own = [
    ...(bodyParameter ? [bodyParameter] : []),
    ...route.parameters.filter((parameter) => !shared.some((each) => isSame(each, parameter))).map(parameterV2),
  ].map((parameter) => parameters.share(parameter));
  return {
    ...(consumes.length > 0 ? { consumes } : {}),
    produces,
    schemes: ["https"],
    tags: [route.tag],
    operationId: route.operationId,
    ...(own.length > 0 ? { parameters: own } : {}),
    responses: Object.fromEntries(
      Object.entries(route.answers).map(([code, model]) => [code, response(code, model, models)]),
    ),
    ...(route.action ? { "x-kubernetes-action": route.action } : {}),
    ...(kind
      ? { "x-kubernetes-group-version-kind": { group: kind.group, kind: kind.kind, version: kind.version } }
      : {}),
  };
}

function response(code: string, model: string | undefined, models: SchemaModels): Json {
  const schema = model === undefined ? undefined : model === "" ? { type: "string" } : models.referenceTo(model);
  return { description: descriptions[code] ?? "", ...(schema ? { schema } : {}) };
}

const parameterV2 = ({ name, in: place, type }: Parameter): Json => ({
  uniqueItems: true,
  type,
  name,
  in: place,
  ...(place === "path" ? { required: true } : {}),
});
