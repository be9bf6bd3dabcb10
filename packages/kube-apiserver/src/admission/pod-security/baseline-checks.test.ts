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
const violationTexts = (spec: Spec, minor = latest, annotations = {}): string[] =>
  violationsOf("baseline", { annotations, spec }, minor).map(({ reason, detail }) => `${reason}: ${detail}`);

/** @see pod-security-admission policy check_*_test.go */
describe("the level baseline", () => {
  const unmasked = { procMount: "Unmasked" };
  const probed = (more: object): Spec => containers({ name: "a", ...more });
  it.each<[string, Spec, string[], number?]>([
    ["an empty spec", containers(of("a")), []],
    [
      "host namespaces",
      { hostNetwork: true, hostPID: true, hostIPC: true },
      ["host namespaces: hostNetwork=true, hostPID=true, hostIPC=true"],
    ],
    ["no host namespaces", { hostNetwork: false, hostPID: false, hostIPC: false }, []],
    [
      "host paths",
      { volumes: [{ name: "a", hostPath: {} }, { name: "b", hostPath: {} }, { name: "c" }] },
      ['hostPath volumes: volumes "a", "b"'],
    ],
    ["a host path", { volumes: [{ name: "a", hostPath: {} }] }, ['hostPath volumes: volume "a"']],
    [
      "a host's port",
      containers(of("a"), { name: "b", ports: [{ hostPort: 20 }, { hostPort: 0 }, {}] }),
      ['hostPort: container "b" uses hostPort 20'],
    ],
    [
      "hosts' ports",
      containers(
        { name: "b", ports: [{ hostPort: 30 }, { hostPort: 10 }] },
        { name: "c", ports: [{ hostPort: 20 }, { hostPort: 10 }] },
      ),
      ['hostPort: containers "b", "c" use hostPorts 10, 20, 30'],
    ],
    [
      "privilege",
      containers(of("a", { privileged: false }), of("d", { privileged: true }), of("e", { privileged: true })),
      ['privileged: containers "d", "e" must not set securityContext.privileged=true'],
    ],
    [
      "privilege of each kind of container",
      {
        initContainers: [of("i", { privileged: true })],
        containers: [of("a", { privileged: true })],
        ephemeralContainers: [of("e", { privileged: true })],
      },
      ['privileged: containers "i", "a", "e" must not set securityContext.privileged=true'],
    ],
    [
      "capabilities",
      containers(
        of("a", { capabilities: { add: ["FOO", "BAR", "CHOWN"] } }),
        of("b", { capabilities: { add: ["BAZ", "FOO"] } }),
        of("c", { capabilities: { add: ["SETUID", "NET_BIND_SERVICE", "AUDIT_WRITE"] } }),
      ),
      [
        'non-default capabilities: containers "a", "b" must not include "BAR", "BAZ", "FOO" in securityContext.capabilities.add',
      ],
    ],
    [
      "mounts of proc",
      containers(of("a", { procMount: "Default" }), of("d", unmasked), of("e", { procMount: "other" })),
      ['procMount: containers "d", "e" must not set securityContext.procMount to "Unmasked", "other"'],
    ],
    ["a mount of proc in a user's namespace", { hostUsers: false, ...containers(of("a", unmasked)) }, [], 35],
    [
      "a mount of proc in a user's namespace before",
      { hostUsers: false, ...containers(of("a", unmasked)) },
      ['procMount: container "a" must not set securityContext.procMount to "Unmasked"'],
      34,
    ],
    [
      "a mount of proc among the host's users",
      { hostUsers: true, ...containers(of("a", unmasked)) },
      ['procMount: container "a" must not set securityContext.procMount to "Unmasked"'],
      35,
    ],
    [
      "SELinux of pod and containers",
      {
        securityContext: { seLinuxOptions: { type: "foo" } },
        ...containers(
          of("a", { seLinuxOptions: { type: "container_t" } }),
          of("e", { seLinuxOptions: { type: "bar" } }),
          of("f", { seLinuxOptions: { user: "u" } }),
          of("g", { seLinuxOptions: { role: "r" } }),
        ),
      },
      [
        'seLinuxOptions: pod and containers "e", "f", "g" set forbidden securityContext.seLinuxOptions: types "bar", "foo"; user may not be set; role may not be set',
      ],
    ],
    [
      "a user of SELinux",
      { securityContext: { seLinuxOptions: { user: "u" } } },
      ["seLinuxOptions: pod set forbidden securityContext.seLinuxOptions: user may not be set"],
    ],
    [
      "a role of SELinux",
      { securityContext: { seLinuxOptions: { role: "r" } } },
      ["seLinuxOptions: pod set forbidden securityContext.seLinuxOptions: role may not be set"],
    ],
    ...["", "container_t", "container_init_t", "container_kvm_t"].map((type): [string, Spec, string[]] => [
      `SELinux as ${type}`,
      { securityContext: { seLinuxOptions: { type } } },
      [],
    ]),
    ["SELinux as an engine", { securityContext: { seLinuxOptions: { type: "container_engine_t" } } }, [], 31],
    [
      "SELinux as an engine before",
      { securityContext: { seLinuxOptions: { type: "container_engine_t" } } },
      ['seLinuxOptions: pod set forbidden securityContext.seLinuxOptions: type "container_engine_t"'],
      30,
    ],
    [
      "seccomp",
      {
        securityContext: { seccompProfile: { type: "Unconfined" } },
        ...containers(
          of("a", { seccompProfile: { type: "Localhost" } }),
          of("b", { seccompProfile: { type: "RuntimeDefault" } }),
          of("c", { seccompProfile: { type: "Unconfined" } }),
          of("d", { seccompProfile: { type: "Unconfined" } }),
        ),
      },
      ['seccompProfile: pod and containers "c", "d" must not set securityContext.seccompProfile.type to "Unconfined"'],
      19,
    ],
    [
      "seccomp of a container",
      containers(of("c", { seccompProfile: { type: "Unconfined" } })),
      ['seccompProfile: container "c" must not set securityContext.seccompProfile.type to "Unconfined"'],
    ],
    ["seccomp in annotations", { securityContext: { seccompProfile: { type: "Unconfined" } } }, [], 18],
    [
      "AppArmor of a pod",
      { securityContext: { appArmorProfile: { type: "Unconfined" } } },
      ['forbidden AppArmor profile: pod must not set AppArmor profile type to "Unconfined"'],
    ],
    [
      "AppArmor of a container",
      containers(of("foo", { appArmorProfile: { type: "Unconfined" } })),
      ['forbidden AppArmor profile: container "foo" must not set AppArmor profile type to "Unconfined"'],
    ],
    [
      "AppArmor that may be",
      {
        securityContext: { appArmorProfile: { type: "Localhost" } },
        ...containers(of("a", { appArmorProfile: { type: "RuntimeDefault" } })),
      },
      [],
    ],
    [
      "processes of the host",
      {
        securityContext: { windowsOptions: { hostProcess: true } },
        ...containers(
          of("a", { windowsOptions: { hostProcess: false } }),
          of("e", { windowsOptions: { hostProcess: true } }),
        ),
      },
      ['hostProcess: pod and container "e" must not set securityContext.windowsOptions.hostProcess=true'],
    ],
    [
      "a process of the host",
      containers(of("e", { windowsOptions: { hostProcess: true } })),
      ['hostProcess: container "e" must not set securityContext.windowsOptions.hostProcess=true'],
    ],
    [
      "a probe of another host",
      probed({ livenessProbe: { httpGet: { host: "8.8.8.8" } } }),
      ['probe or lifecycle host: container "a" uses probe or lifecycle host "8.8.8.8"'],
      34,
    ],
    ["a probe of another host before", probed({ livenessProbe: { httpGet: { host: "8.8.8.8" } } }), [], 33],
    [
      "a probe of its own address",
      probed({ livenessProbe: { httpGet: { host: "" } }, readinessProbe: { tcpSocket: {} } }),
      [],
    ],
    [
      "probes and hooks of all kinds",
      probed({
        readinessProbe: { tcpSocket: { host: "b" } },
        startupProbe: { httpGet: { host: "a" } },
        lifecycle: { postStart: { httpGet: { host: "c" } }, preStop: { tcpSocket: { host: "d" } } },
      }),
      ['probe or lifecycle host: container "a" uses probe or lifecycle hosts "a", "b", "c", "d"'],
    ],
  ])("%s", (_what, spec, violations, minor) => {
    expect(violationTexts(spec, minor)).toEqual(violations);
  });

  it.each<[string, number]>([
    ["kernel.shm_rmid_forced", 0],
    ["net.ipv4.ip_local_port_range", 0],
    ["net.ipv4.tcp_syncookies", 0],
    ["net.ipv4.ping_group_range", 0],
    ["net.ipv4.ip_unprivileged_port_start", 0],
    ["net.ipv4.ip_local_reserved_ports", 27],
    ["net.ipv4.tcp_keepalive_time", 29],
    ["net.ipv4.tcp_fin_timeout", 29],
    ["net.ipv4.tcp_keepalive_intvl", 29],
    ["net.ipv4.tcp_keepalive_probes", 29],
    ["net.ipv4.tcp_rmem", 32],
    ["net.ipv4.tcp_wmem", 32],
  ])("allows %s since 1.%d", (name, since) => {
    const spec = { securityContext: { sysctls: [{ name }] } };
    expect(violationTexts(spec, since)).toEqual([]);
    if (since > 0) expect(violationTexts(spec, since - 1)).toEqual([`forbidden sysctls: ${name}`]);
  });

  it("allows no other sysctls", () => {
    const sysctls = ["a", "kernel.shm_rmid_forced", "toString"].map((name) => ({ name }));
    expect(violationTexts({ securityContext: { sysctls } })).toEqual(["forbidden sysctls: a, toString"]);
  });

  it("reads profiles from annotations", () => {
    const armor = "container.apparmor.security.beta.kubernetes.io/";
    const fine = {
      [`${armor}a`]: "",
      [`${armor}b`]: "runtime/default",
      [`${armor}c`]: "localhost/x",
      other: "unconfined",
    };
    expect(violationTexts({}, latest, fine)).toEqual([]);
    expect(violationTexts({}, latest, { ...fine, [`${armor}d`]: "unconfined" })).toEqual([
      `forbidden AppArmor profile: annotation must not set AppArmor profile type to "${armor}d="unconfined""`,
    ]);
    const pod = "seccomp.security.alpha.kubernetes.io/pod";
    const ofA = "container.seccomp.security.alpha.kubernetes.io/a";
    const spec = containers(of("a"));
    expect(violationTexts(spec, 18, { [pod]: "docker/default", [ofA]: "localhost/x" })).toEqual([]);
    expect(violationTexts(spec, 18, { [pod]: "unconfined" })).toEqual([
      `seccompProfile: forbidden annotation ${pod}="unconfined"`,
    ]);
    expect(violationTexts(spec, 18, { [pod]: "unconfined", [ofA]: "unknown" })).toEqual([
      `seccompProfile: forbidden annotations ${ofA}="unknown", ${pod}="unconfined"`,
    ]);
    expect(violationTexts(spec, 19, { [pod]: "unconfined" })).toEqual([]);
  });
});
