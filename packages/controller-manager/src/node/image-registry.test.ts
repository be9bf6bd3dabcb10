import { expect, it } from "vitest";
import { type ImageRunner, imageName, registeredRunner } from "./image-registry.ts";

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

const run: ImageRunner = async () => {
  throw new Error("not run");
};

it.each([
  ["docker.io/library/node:24", "node:24"],
  ["docker.io/library/node", "node:24@sha256:01"],
  ["docker.io/team/web", "team/web:1"],
  ["localhost/web", "localhost/web:1"],
  ["team/web", "team/web"],
])("a runner for %s runs the image %s", (name, image) => {
  expect(registeredRunner({ [name]: run }, image)).toBe(run);
});

it.each([
  ["docker.io/library/node:24", "node:23"],
  ["docker.io/library/web", "team/web"],
  ["docker.io/localhost/web", "localhost/web"],
  ["docker.io/example.com/web", "example.com/web"],
  ["docker.io/registry:5000/web", "registry:5000/web"],
])("a runner for %s does not run the image %s", (name, image) => {
  expect(registeredRunner({ [name]: run }, image)).toBeUndefined();
});

it.each(["constructor", "toString:1", "__proto__"])("an unregistered image %s has no runner", (image) => {
  expect(registeredRunner({}, image)).toBeUndefined();
});
