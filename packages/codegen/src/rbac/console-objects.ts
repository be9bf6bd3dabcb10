import type { ProgramDescription } from "../description/program-description.ts";
import { reviews } from "./derived.ts";
import { grantsOf, rulesOf } from "./grants.ts";
import type { RoleObject, RoleObjects } from "./role-objects.ts";

const viewer = "console-viewer";

/**
 * Returns a console's role objects, by file name: a role that lets the program authenticate viewers, and a viewer account that anyone who
 * may create its tokens can use. The account sees objects of the program's kinds, but never Secrets.
 *
 * @param options `notInView`: kinds that the account must not see because they contain secrets
 */
export function consoleObjects(
  { console, kinds }: Pick<ProgramDescription, "console" | "kinds">,
  make: RoleObjects,
  { notInView = [] }: { readonly notInView?: readonly string[] | undefined },
): ReadonlyMap<string, RoleObject[]> {
  if (!console) return new Map();
  const seen = kinds.filter(({ kind }) => !notInView.includes(kind));
  const objects = [
    ...seen.map(({ group, plural }) => ({ group, resource: plural, verbs: ["get", "list"] })),
    { group: "", resource: "events", verbs: ["list"] },
  ];
  const rules = [{ nonResourceURLs: ["/debug/kubewright/*"], verbs: ["get"] }, ...rulesOf(objects.flatMap(grantsOf))];
  // A kind named Console has its own viewer role in console_viewer_role.yaml.
  return new Map([
    ["console_auth_role.yaml", [make.role("console-auth-role", rulesOf(reviews.flatMap(grantsOf)))]],
    ["console_auth_role_binding.yaml", [make.binding("console-auth-rolebinding", "console-auth-role")]],
    ["console_viewer.yaml", [make.serviceAccount(viewer)]],
    ["console_reader_role.yaml", [make.role(viewer, rules)]],
    ["console_reader_role_binding.yaml", [make.binding(`${viewer}-binding`, viewer, undefined, viewer)]],
  ]);
}
