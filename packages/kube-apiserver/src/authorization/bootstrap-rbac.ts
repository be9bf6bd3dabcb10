import type { Unstructured } from "@kubewright/apimachinery";
import { bootstrapRbacObjects } from "./bootstrap-rbac-objects.ts";

/** Returns new copies of the bootstrap roles and bindings, which the caller may store. */
export function bootstrapRbac(): Unstructured[] {
  return bootstrapRbacObjects
    .trim()
    .split("\n")
    .map((line): Unstructured => JSON.parse(line.slice(line.indexOf(" "))));
}
