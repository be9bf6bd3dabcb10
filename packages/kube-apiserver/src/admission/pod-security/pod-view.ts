/** The container fields that the checks read. */
export interface ContainerView {
  readonly name?: string | undefined;
  readonly ports?: readonly { readonly hostPort?: number | undefined }[] | undefined;
  readonly livenessProbe?: HandlerView | undefined;
  readonly readinessProbe?: HandlerView | undefined;
  readonly startupProbe?: HandlerView | undefined;
  readonly lifecycle?:
    | { readonly postStart?: HandlerView | undefined; readonly preStop?: HandlerView | undefined }
    | undefined;
  readonly securityContext?:
    | (SecurityView & {
        readonly privileged?: boolean | undefined;
        readonly allowPrivilegeEscalation?: boolean | undefined;
        readonly procMount?: string | undefined;
        readonly capabilities?:
          | { readonly add?: readonly string[] | undefined; readonly drop?: readonly string[] | undefined }
          | undefined;
      })
    | undefined;
}

export interface HandlerView {
  readonly httpGet?: { readonly host?: string | undefined } | undefined;
  readonly tcpSocket?: { readonly host?: string | undefined } | undefined;
}

/** The security context fields that pods and containers have in common. */
export interface SecurityView {
  readonly runAsNonRoot?: boolean | undefined;
  readonly runAsUser?: number | undefined;
  readonly seLinuxOptions?:
    | { readonly type?: string | undefined; readonly user?: string | undefined; readonly role?: string | undefined }
    | undefined;
  readonly seccompProfile?: { readonly type?: string | undefined } | undefined;
  readonly appArmorProfile?: { readonly type?: string | undefined } | undefined;
  readonly windowsOptions?: { readonly hostProcess?: boolean | undefined } | undefined;
}

/** The pod fields that the checks read. */
export interface PodView {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: {
    readonly containers?: readonly ContainerView[] | undefined;
    readonly initContainers?: readonly ContainerView[] | undefined;
    readonly ephemeralContainers?: readonly ContainerView[] | undefined;
    readonly volumes?:
      | readonly ({ readonly name?: string | undefined } & Readonly<Record<string, unknown>>)[]
      | undefined;
    readonly hostNetwork?: boolean | undefined;
    readonly hostPID?: boolean | undefined;
    readonly hostIPC?: boolean | undefined;
    readonly hostUsers?: boolean | undefined;
    readonly os?: { readonly name?: string | undefined } | undefined;
    readonly securityContext?:
      | (SecurityView & { readonly sysctls?: readonly { readonly name: string }[] | undefined })
      | undefined;
  };
}

/** A violation of a level, with a summary and details. */
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
