import { group, ns } from "./objects.ts";
import type { VerbCase } from "./verb-case.ts";

const reviews = `${group("authentication.k8s.io")}/selfsubjectreviews`;
const impersonating = (
  what: string,
  impersonate: NonNullable<VerbCase["impersonate"]>,
  needs: readonly string[],
  more: Partial<VerbCase> = {},
): VerbCase => ({
  what,
  method: "POST",
  path: reviews,
  body: {},
  needs,
  status: 201,
  impersonate,
  refusals: needs.map(() => "is forbidden: User"),
  ...more,
});
const anything = "cluster impersonate-on:user-info:create selfsubjectreviews.authentication.k8s.io";

/** Impersonation of others. */
export const impersonation: readonly VerbCase[] = [
  impersonating("as a user", { "impersonate-user": "jane" }, ["cluster impersonate users jane"], {
    notEnough: [
      ["cluster impersonate users john", "cluster impersonate groups", "cluster impersonate serviceaccounts"],
      ["impersonate users"],
    ],
  }),
  impersonating("in a group", { "impersonate-user": "jane", "impersonate-group": ["dev", "ops"] }, [
    "cluster impersonate users jane",
    "cluster impersonate groups dev",
    "cluster impersonate groups ops",
  ]),
  impersonating(
    "in the group with all permissions",
    { "impersonate-user": "jane", "impersonate-group": "system:masters" },
    ["cluster impersonate users jane", "cluster impersonate groups system:masters"],
  ),
  impersonating(
    "as a service account",
    { "impersonate-user": `system:serviceaccount:${ns}:robot` },
    ["impersonate serviceaccounts robot"],
    { notEnough: [["cluster impersonate users"]] },
  ),
  impersonating(
    "with a UID",
    { "impersonate-user": "jane", "impersonate-uid": "u-1" },
    ["cluster impersonate users jane", "cluster impersonate uids.authentication.k8s.io u-1"],
    { notEnough: [["cluster impersonate users jane", "cluster impersonate uids"]] },
  ),
  impersonating(
    "with extra",
    { "impersonate-user": "jane", "impersonate-extra-scopes": "all" },
    ["cluster impersonate users jane", "cluster impersonate userextras.authentication.k8s.io/scopes all"],
    { notEnough: [["cluster impersonate users jane", "cluster impersonate userextras.authentication.k8s.io"]] },
  ),
  impersonating(
    "with extra of an escaped name",
    { "impersonate-user": "jane", "impersonate-extra-acme.io%2ffoo": "all" },
    ["cluster impersonate users jane", "cluster impersonate userextras.authentication.k8s.io/acme.io/foo all"],
  ),
  impersonating("in a group without a user", { "impersonate-group": "dev" }, [], { status: 400 }),
  impersonating("as a user, for this request only", { "impersonate-user": "jane" }, [
    anything,
    "cluster impersonate:user-info users.authentication.k8s.io jane",
  ]),
  impersonating(
    "in the group with all permissions, for this request only",
    { "impersonate-user": "jane", "impersonate-group": "system:masters" },
    [],
    {
      status: 403,
      notEnough: [
        [
          anything,
          "cluster impersonate:user-info users.authentication.k8s.io jane",
          "cluster impersonate:user-info groups.authentication.k8s.io",
        ],
      ],
    },
  ),
  impersonating(
    "as a node, for this request only",
    { "impersonate-user": "system:node:one" },
    [
      "cluster impersonate-on:arbitrary-node:create selfsubjectreviews.authentication.k8s.io",
      "cluster impersonate:arbitrary-node nodes.authentication.k8s.io one",
    ],
    { notEnough: [[anything, "cluster impersonate:user-info users.authentication.k8s.io"]] },
  ),
  impersonating(
    "as a service account, for this request only",
    { "impersonate-user": `system:serviceaccount:${ns}:robot` },
    [
      "cluster impersonate-on:serviceaccount:create selfsubjectreviews.authentication.k8s.io",
      "impersonate:serviceaccount serviceaccounts.authentication.k8s.io robot",
    ],
    { notEnough: [[anything, "cluster impersonate:user-info users.authentication.k8s.io"]] },
  ),
];
