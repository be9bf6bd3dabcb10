import { describe, expect, it } from "vitest";
import type { ContainerView, PodView } from "./pod-view.ts";
import { violationsOf } from "./restricted-checks.ts";

type Security = NonNullable<ContainerView["securityContext"]>;
type Spec = PodView["spec"];
const latest = Number.POSITIVE_INFINITY;
const of = (name: string, securityContext?: Security): ContainerView => ({
  name,
  ...(securityContext ? { securityContext } : {}),
});
const containers = (...all: ContainerView[]): Spec => ({ containers: all });
/** A pod that complies with every level. */
const good: Security = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
};
const strict = (more: Security = {}, name = "a"): ContainerView => of(name, { ...good, ...more });
const violationTexts = (spec: Spec, minor = latest): string[] =>
  violationsOf("restricted", { annotations: {}, spec }, minor).map(({ reason, detail }) => `${reason}: ${detail}`);

/** @see pod-security-admission policy check_*_test.go */
describe("the level restricted", () => {
  const windows = { os: { name: "windows" } };
  const plain = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
  it.each<[string, Spec, string[], number?]>([
    ["a good pod", containers(strict()), []],
    ["violations of baseline", { hostPID: true, ...containers(strict()) }, ["host namespaces: hostPID=true"]],
    [
      "an empty spec",
      containers(of("a")),
      [
        'allowPrivilegeEscalation != false: container "a" must set securityContext.allowPrivilegeEscalation=false',
        'unrestricted capabilities: container "a" must set securityContext.capabilities.drop=["ALL"]',
        'runAsNonRoot != true: pod or container "a" must set securityContext.runAsNonRoot=true',
        'seccompProfile: pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"',
      ],
    ],
    ["escalation before it was known", containers(strict({ allowPrivilegeEscalation: true })), [], 7],
    [
      "escalation since",
      containers(strict({ allowPrivilegeEscalation: true })),
      ['allowPrivilegeEscalation != false: container "a" must set securityContext.allowPrivilegeEscalation=false'],
      8,
    ],
    ["on Windows", { ...windows, ...containers(of("a", { runAsNonRoot: true })) }, [], 25],
    [
      "on Windows before",
      { ...windows, ...containers(of("a", { runAsNonRoot: true, seccompProfile: { type: "Localhost" } })) },
      [
        'allowPrivilegeEscalation != false: container "a" must set securityContext.allowPrivilegeEscalation=false',
        'unrestricted capabilities: container "a" must set securityContext.capabilities.drop=["ALL"]',
      ],
      24,
    ],
    [
      "on Linux",
      { os: { name: "linux" }, ...containers(strict({ allowPrivilegeEscalation: true })) },
      ['allowPrivilegeEscalation != false: container "a" must set securityContext.allowPrivilegeEscalation=false'],
    ],
    [
      "capabilities",
      containers(
        strict({ capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] } }),
        strict({ capabilities: { drop: ["FOO"], add: ["CHOWN", "BAR"] } }, "b"),
      ),
      [
        'unrestricted capabilities: container "b" must set securityContext.capabilities.drop=["ALL"]; container "b" must not include "BAR", "CHOWN" in securityContext.capabilities.add',
      ],
    ],
    [
      "capabilities before 1.22",
      containers(strict({ capabilities: { add: ["FOO"] } })),
      ['non-default capabilities: container "a" must not include "FOO" in securityContext.capabilities.add'],
      21,
    ],
    [
      "capabilities since 1.22",
      containers(strict({ capabilities: { drop: ["ALL"], add: ["FOO"] } })),
      ['unrestricted capabilities: container "a" must not include "FOO" in securityContext.capabilities.add'],
      22,
    ],
    [
      "volumes",
      {
        volumes: [
          { name: "a", hostPath: {} },
          { name: "b", gcePersistentDisk: {} },
          { name: "c", emptyDir: {} },
          { name: "d" },
        ],
        ...containers(strict()),
      },
      [
        'restricted volume types: volumes "a", "b", "d" use restricted volume types "gcePersistentDisk", "hostPath", "unknown"',
      ],
    ],
    [
      "a volume",
      { volumes: [{ name: "a", nfs: {} }], ...containers(strict()) },
      ['restricted volume types: volume "a" uses restricted volume type "nfs"'],
    ],
    [
      "volumes of all kinds that may be",
      {
        volumes: "configMap csi downwardAPI emptyDir ephemeral image persistentVolumeClaim projected secret"
          .split(" ")
          .map((type) => ({ name: type, [type]: {} })),
        ...containers(strict()),
      },
      [],
    ],
    [
      "root refused by the pod",
      { securityContext: { runAsNonRoot: true, seccompProfile: { type: "Localhost" } }, ...containers(of("a", plain)) },
      [],
    ],
    [
      "root allowed by the pod",
      { securityContext: { runAsNonRoot: false }, ...containers(strict()) },
      ["runAsNonRoot != true: pod must not set securityContext.runAsNonRoot=false"],
    ],
    [
      "root allowed by containers",
      {
        securityContext: { runAsNonRoot: true },
        ...containers(strict(), strict({ runAsNonRoot: false }, "c"), strict({ runAsNonRoot: false }, "d")),
      },
      ['runAsNonRoot != true: containers "c", "d" must not set securityContext.runAsNonRoot=false'],
    ],
    [
      "root in a user's namespace",
      { hostUsers: false, ...containers(strict({ runAsNonRoot: false, runAsUser: 0 })) },
      [],
      35,
    ],
    [
      "root in a user's namespace before",
      { hostUsers: false, ...containers(strict({ runAsNonRoot: false, runAsUser: 0 })) },
      [
        'runAsNonRoot != true: container "a" must not set securityContext.runAsNonRoot=false',
        'runAsUser=0: container "a" must not set runAsUser=0',
      ],
      34,
    ],
    [
      "user 0",
      { securityContext: { runAsUser: 0 }, ...containers(strict({ runAsUser: 1 })) },
      ["runAsUser=0: pod must not set runAsUser=0"],
      23,
    ],
    ["user 0 before", { securityContext: { runAsUser: 0 }, ...containers(strict()) }, [], 22],
    [
      "users 0",
      containers(strict(), strict({ runAsUser: 0 }, "c"), strict({ runAsUser: 0 }, "d")),
      ['runAsUser=0: containers "c", "d" must not set runAsUser=0'],
    ],
    [
      "an invalid seccomp profile",
      containers(strict({ seccompProfile: { type: "Unconfined" } })),
      ['seccompProfile: container "a" must not set securityContext.seccompProfile.type to "Unconfined"'],
      19,
    ],
    ["no seccomp before 1.19", containers(of("a", { ...plain, runAsNonRoot: true })), [], 18],
    [
      "mounts of proc in a user's namespace",
      { hostUsers: false, ...containers(strict({ procMount: "Unmasked" })) },
      ['procMount: container "a" must not set securityContext.procMount to "Unmasked"'],
      35,
    ],
    [
      "mounts of proc before",
      containers(strict({ procMount: "Unmasked" })),
      ['procMount: container "a" must not set securityContext.procMount to "Unmasked"'],
      34,
    ],
  ])("%s", (_what, spec, violations, minor) => {
    expect(violationTexts(spec, minor)).toEqual(violations);
  });
});
