/** The parts of a container that the checks need. */
export interface ContainerView {
  readonly name?: string;
  readonly ports?: readonly { readonly hostPort?: number }[];
  readonly livenessProbe?: HandlerView;
  readonly readinessProbe?: HandlerView;
  readonly startupProbe?: HandlerView;
  readonly lifecycle?: { readonly postStart?: HandlerView; readonly preStop?: HandlerView };
  readonly securityContext?: SecurityView & {
    readonly privileged?: boolean;
    readonly allowPrivilegeEscalation?: boolean;
    readonly procMount?: string;
    readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
  };
}

export interface HandlerView {
  readonly httpGet?: { readonly host?: string };
  readonly tcpSocket?: { readonly host?: string };
}

/** Fields that pods and containers share. */
export interface SecurityView {
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: number;
  readonly seLinuxOptions?: { readonly type?: string; readonly user?: string; readonly role?: string };
  readonly seccompProfile?: { readonly type?: string };
  readonly appArmorProfile?: { readonly type?: string };
  readonly windowsOptions?: { readonly hostProcess?: boolean };
}

/** The parts of a pod that the checks need. */
export interface PodView {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: {
    readonly containers?: readonly ContainerView[];
    readonly initContainers?: readonly ContainerView[];
    readonly ephemeralContainers?: readonly ContainerView[];
    readonly volumes?: readonly ({ readonly name?: string } & Readonly<Record<string, unknown>>)[];
    readonly hostNetwork?: boolean;
    readonly hostPID?: boolean;
    readonly hostIPC?: boolean;
    readonly hostUsers?: boolean;
    readonly os?: { readonly name?: string };
    readonly securityContext?: SecurityView & { readonly sysctls?: readonly { readonly name: string }[] };
  };
}

/** A violation, with a summary and details. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export const containersOf = ({ spec }: PodView): readonly ContainerView[] => [
  ...(spec.initContainers ?? []),
  ...(spec.containers ?? []),
  ...(spec.ephemeralContainers ?? []),
];

export const namesWhere = (pod: PodView, isBad: (container: ContainerView) => boolean): string[] =>
  containersOf(pod)
    .filter(isBad)
    .map(({ name = "" }) => name);

export const quoted = (texts: Iterable<string>): string => [...texts].map((text) => `"${text}"`).join(", ");
export const plural = (one: string, many: string, count: number): string => (count === 1 ? one : many);
export const sortedSet = (texts: Iterable<string>): string[] => [...new Set(texts)].sort();

/** Returns text such as `container "a"` or `containers "a", "b"`. */
export const containersText = (names: readonly string[]): string =>
  `${plural("container", "containers", names.length)} ${quoted(names)}`;

/** Returns text such as `pod and container "a"`. */
export const settersText = (isPod: boolean, names: readonly string[]): string =>
  [...(isPod ? ["pod"] : []), ...(names.length > 0 ? [containersText(names)] : [])].join(" and ");
