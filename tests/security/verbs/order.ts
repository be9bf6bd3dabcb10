import { applyType, configMap, core, group } from "./objects.ts";
import type { VerbCase } from "./verb-case.ts";

/** What comes first where several things are wrong. */
export const order: readonly VerbCase[] = [
  {
    what: "a body that cannot be read is not looked at before the user is",
    method: "POST",
    path: `${core}/configmaps`,
    body: "{",
    needs: ["create configmaps"],
    status: 400,
  },
  {
    what: "an unknown resource is forbidden before it is unknown",
    method: "GET",
    path: `${core}/nonsense`,
    needs: ["list nonsense"],
    status: 404,
  },
  {
    what: "a verb that the resource has not is forbidden first",
    method: "DELETE",
    path: `${group("authorization.k8s.io")}/subjectaccessreviews`,
    needs: ["cluster deletecollection subjectaccessreviews.authorization.k8s.io"],
    status: 405,
  },
  {
    what: "a namespace that is not there comes before the right to create in it",
    method: "PATCH",
    path: "/api/v1/namespaces/nowhere/configmaps/x?fieldManager=t",
    contentType: applyType,
    body: configMap("x"),
    needs: ["cluster patch configmaps"],
    status: 404,
  },
  {
    what: "what is invalid comes before the right to create it",
    method: "PATCH",
    path: `${core}/configmaps/invalid?fieldManager=t`,
    contentType: applyType,
    body: { ...configMap("invalid"), data: { "a b": "c" } },
    needs: ["patch configmaps"],
    status: 422,
  },
  {
    what: "a wrong name comes before the right to create",
    method: "PATCH",
    path: `${core}/configmaps/right?fieldManager=t`,
    contentType: applyType,
    body: configMap("wrong"),
    needs: ["patch configmaps"],
    status: 400,
  },
  {
    what: "a UID of nobody comes before the right to create",
    method: "PATCH",
    path: `${core}/configmaps/uid?fieldManager=t`,
    contentType: applyType,
    body: { ...configMap("uid"), metadata: { name: "uid", uid: "c0ffee" } },
    needs: ["patch configmaps"],
    status: 409,
  },
  {
    what: "POST with a generated name",
    method: "POST",
    path: `${core}/configmaps`,
    body: { metadata: { generateName: "g-" } },
    needs: ["create configmaps"],
    status: 201,
    notEnough: [["create configmaps g-"]],
  },
];
