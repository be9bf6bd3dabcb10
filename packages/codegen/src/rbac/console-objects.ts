import type { ProgramDescription } from "../description/program-description.ts";
import { reviews } from "./derived.ts";
import { grantsOf, rulesOf } from "./grants.ts";
import type { RoleObject, RoleObjects } from "./role-objects.ts";

const viewer = "console-viewer";

/**
 * What a console needs, by the name of the file: a role by which the program learns who looks, and an account that may look, for whoever
 * may create tokens of it. It sees objects of the program's own kinds, and never Secrets.
 *
 * @param options `notInView`: kinds with secrets in them, which the account does not see
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
  // A kind that is named Console has a role of its viewers, too, in the file console_viewer_role.yaml.
  return new Map([
    ["console_auth_role.yaml", [make.role("console-auth-role", rulesOf(reviews.flatMap(grantsOf)))]],
    ["console_auth_role_binding.yaml", [make.binding("console-auth-rolebinding", "console-auth-role")]],
    ["console_viewer.yaml", [make.serviceAccount(viewer)]],
    ["console_reader_role.yaml", [make.role(viewer, rules)]],
    ["console_reader_role_binding.yaml", [make.binding(`${viewer}-binding`, viewer, undefined, viewer)]],
  ]);
}
