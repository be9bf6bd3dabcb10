import { expect, it } from "vitest";
import { imageName, registeredRunner } from "./image-registry.ts";

it.each([
  ["nginx", "nginx"],
  ["nginx:1.27", "nginx"],
  ["kubewright/cnf-simulator:dev", "kubewright/cnf-simulator"],
  ["registry.example.com:5000/team/web", "registry.example.com:5000/team/web"],
  ["registry.example.com:5000/team/web:1.2", "registry.example.com:5000/team/web"],
  ["web@sha256:0123", "web"],
  ["web:1@sha256:0123", "web"],
])("the name of the image %s is %s", (image, name) => {
  expect(imageName(image)).toBe(name);
});

it.each(["constructor", "toString:1", "__proto__"])("an unregistered image %s has no runner", (image) => {
  expect(registeredRunner({}, image)).toBeUndefined();
});
