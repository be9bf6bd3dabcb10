import type { Parameter } from "./query-parameters.ts";
import { isSame, type Route, sharedParameters } from "./route.ts";
import type { Json, SchemaModels } from "./schema-models.ts";

const descriptions: Readonly<Record<string, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  401: "Unauthorized",
};

/** Returns the path item for the operations of one path, in OpenAPI v3. */
export function pathItemV3(routes: readonly Route[], models: SchemaModels): Json {
  const shared = sharedParameters(routes);
  const operations = routes.map((route) => [route.method, operation(route, shared, models)] as const);
  return {
    ...Object.fromEntries(operations),
    ...(shared.length > 0 ? { parameters: shared.map(parameterV3) } : {}),
  };
}

function operation(route: Route, shared: readonly Parameter[], models: SchemaModels): Json {
  const own = route.parameters.filter((parameter) => !shared.some((each) => isSame(each, parameter)));
  const { body, kind } = route;
  return {
    tags: [route.tag],
    operationId: route.operationId,
    ...(own.length > 0 ? { parameters: own.map(parameterV3) } : {}),
    ...(body
      ? {
          requestBody: {
            content: contents([...route.consumes].sort(), models.referenceTo(body.model)),
            ...(body.required ? { required: true } : {}),
          },
        }
      : {}),
    responses: Object.fromEntries(
      Object.entries(route.answers).map(([code, model]) => [code, response(code, model, route, models)]),
    ),
    ...(route.action ? { "x-kubernetes-action": route.action } : {}),
    ...(kind ? { "x-kubernetes-group-version-kind": kind } : {}),
  };
}

function response(code: string, model: string | undefined, { produces }: Route, models: SchemaModels): Json {
  const schema = model === undefined ? undefined : model === "" ? { type: "string" } : models.referenceTo(model);
  return {
    description: descriptions[code] ?? "",
    ...(schema ? { content: contents([...produces].sort(), schema) } : {}),
  };
}

const contents = (types: readonly string[], schema: Json): Json =>
  Object.fromEntries(types.map((type) => [type, { schema }]));

const parameterV3 = ({ name, in: place, type }: Parameter): Json => ({
  name,
  in: place,
  ...(place === "path" ? { required: true } : {}),
  schema: { type, uniqueItems: true },
});
