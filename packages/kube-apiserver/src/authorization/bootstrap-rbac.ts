import type { Unstructured } from "@kubewright/apimachinery";
import { bootstrapRbacObjects } from "./bootstrap-rbac-objects.ts";

/** Returns copies for storing. */
export function bootstrapRbac(): Unstructured[] {
  return bootstrapRbacObjects
    .trim()
    .split("\n")
    .map((line): Unstructured => JSON.parse(line.slice(line.indexOf(" "))));
}
