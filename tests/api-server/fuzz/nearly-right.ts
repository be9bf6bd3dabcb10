import fc from "fast-check";
import { changed, insteadOf, places, valueAt } from "./one-thing-wrong.ts";
import type { FuzzedRequest } from "./requests.ts";
import { templates } from "./templates/all-templates.ts";

const patchTypes = ["merge-patch+json", "strategic-merge-patch+json", "apply-patch+yaml"] as const;

/** A realistic request with at most one error. */
export const nearlyRight: fc.Arbitrary<FuzzedRequest> = fc
  .record({
    wrong: fc.tuple(fc.constantFrom(...templates), fc.nat()).chain(([template, place]) => {
      const known = places(template.object);
      const path = known[place % known.length] ?? [];
      return insteadOf(valueAt(template.object, path)).map((to) => ({
        template,
        body: changed(template.object, path, to),
      }));
    }),
    method: fc.constantFrom("POST", "POST", "PUT", "PATCH", "PATCH", "DELETE", "GET"),
    type: fc.constantFrom(...patchTypes),
    dryRun: fc.boolean(),
    accept: fc.constantFrom("application/json", "application/json;as=Table;v=v1;g=meta.k8s.io", "application/yaml"),
  })
  .map(({ wrong: { template, body }, method, type, dryRun, accept }) => {
    const { collection, object } = template;
    const query = new URLSearchParams({
      ...(dryRun ? { dryRun: "All" } : {}),
      ...(method === "PATCH" && type === "apply-patch+yaml" ? { fieldManager: "fuzz", force: "true" } : {}),
    }).toString();
    const where = method === "POST" ? collection : `${collection}/${object.metadata.name}`;
    const reads = method === "GET" || method === "DELETE";
    return {
      method,
      path: query === "" ? where : `${where}?${query}`,
      headers: { accept, "content-type": method === "PATCH" ? `application/${type}` : "application/json" },
      body: reads ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body ?? null)),
    };
  });
