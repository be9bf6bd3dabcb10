import { alertRules } from "../alerts/alert-rules.ts";
import type { ProgramDescription } from "../description/program-description.ts";

/** An object of any kind, as it is written into a manifest. */
export interface ManifestObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

export interface DeploymentOptions {
  /** Where the program runs. Default: its name and `-system`. */
  readonly namespace?: string | undefined;
  /** Default `controller:latest`. */
  readonly image?: string | undefined;
  /** What the program is called with. Default: nothing. */
  readonly args?: readonly string[] | undefined;
  /** With more than one, they are on several nodes where there are, and one of them is always to be there. Default 1. */
  readonly replicas?: number | undefined;
  /** Limits and requests of the container. Default: 500m and 256Mi, 10m and 64Mi. */
  readonly resources?: object | undefined;
  /** Where webhooks are served. Default 9443. */
  readonly webhookPort?: number | undefined;
}

const usualResources = { limits: { cpu: "500m", memory: "256Mi" }, requests: { cpu: "10m", memory: "64Mi" } };

/** The objects that run a program and let others reach it, under their own names. */
export class ProgramObjects {
  readonly namespace: string;
  readonly #description: ProgramDescription;
  readonly #options: DeploymentOptions;
  readonly #name: string;
  readonly #pods: Readonly<Record<string, string>>;

  constructor(description: ProgramDescription, options: DeploymentOptions) {
    this.#description = description;
    this.#options = options;
    this.#name = description.name;
    this.namespace = options.namespace ?? `${description.name}-system`;
    this.#pods = { "app.kubernetes.io/name": this.#name, "control-plane": "controller-manager" };
  }

  get ownNamespace(): ManifestObject {
    return { apiVersion: "v1", kind: "Namespace", metadata: { name: this.namespace, labels: this.#labels } };
  }

  get deployment(): ManifestObject {
    const { image = "controller:latest", args = [], replicas = 1, resources = usualResources } = this.#options;
    const ports = this.#ports.map(([name, containerPort]) => ({ name, containerPort, protocol: "TCP" }));
    const container = {
      name: "manager",
      image,
      ...(args.length > 0 ? { args } : {}),
      // Programs are told where they are, since a kustomization or a chart may say another namespace.
      env: [{ name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } }],
      ...(ports.length > 0 ? { ports } : {}),
      ...this.#probes,
      resources,
      securityContext: {
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
        readOnlyRootFilesystem: true,
      },
    };
    const template = {
      metadata: { annotations: { "kubectl.kubernetes.io/default-container": "manager" }, labels: this.#pods },
      spec: {
        containers: [container],
        securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
        serviceAccountName: `${this.#name}-controller-manager`,
        terminationGracePeriodSeconds: 40, // a manager gives its parts 30
        topologySpreadConstraints: [this.#spread],
      },
    };
    const spec = { replicas, selector: { matchLabels: this.#pods }, template };
    return this.#namespaced("apps/v1", "Deployment", "controller-manager", { spec });
  }

  /** Absent where there is but one replica, which could then never be moved. */
  get disruptionBudget(): ManifestObject | undefined {
    const { replicas = 1 } = this.#options;
    if (replicas < 2) return undefined;
    const spec = { minAvailable: 1, selector: { matchLabels: this.#pods } };
    return this.#namespaced("policy/v1", "PodDisruptionBudget", "controller-manager", { spec });
  }

  /** Absent where no metrics are served. */
  get metricsService(): ManifestObject | undefined {
    const { port, isSecure } = this.#description.metrics;
    if (port === undefined) return undefined;
    const ports = [{ name: isSecure ? "https" : "http", port, protocol: "TCP", targetPort: port }];
    return this.#service("controller-manager-metrics-service", ports);
  }

  get webhookService(): ManifestObject {
    const ports = [{ port: 443, protocol: "TCP", targetPort: this.#webhookPort }];
    return this.#service("webhook-service", ports);
  }

  /** An empty one, so that no role needs to create Secrets. Absent where the program keeps no certificate, or keeps it elsewhere. */
  get certificateSecret(): ManifestObject | undefined {
    const { namespace, name } = this.#description.certificates?.secret ?? {};
    if (name === undefined || namespace !== this.namespace) return undefined;
    return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace, labels: this.#labels }, type: "Opaque" };
  }

  /** Of Prometheus' operator. Absent where no metrics are served. */
  get serviceMonitor(): ManifestObject | undefined {
    const { isSecure, isAuthenticated } = this.#description.metrics;
    if (!this.metricsService) return undefined;
    const endpoint = {
      path: "/metrics",
      port: isSecure ? "https" : "http",
      scheme: isSecure ? "https" : "http",
      ...(isAuthenticated ? { bearerTokenFile: "/var/run/secrets/kubernetes.io/serviceaccount/token" } : {}),
      ...(isSecure ? { tlsConfig: { insecureSkipVerify: true } } : {}),
    };
    const spec = { endpoints: [endpoint], selector: { matchLabels: this.#pods } };
    return this.#namespaced("monitoring.coreos.com/v1", "ServiceMonitor", "controller-manager-metrics-monitor", {
      spec,
    });
  }

  /** Alerts, for Prometheus' operator. Absent where no metrics are served. */
  get prometheusRule(): ManifestObject | undefined {
    const service = this.metricsService;
    if (!service) return undefined;
    const rules = alertRules(this.#description, service.metadata.name);
    const spec = { groups: [{ name: `${this.#name}-controller-manager`, rules }] };
    return this.#namespaced("monitoring.coreos.com/v1", "PrometheusRule", "controller-manager-metrics-rules", { spec });
  }

  /**
   * Open the ports that other pods and machines reach, which closes all others. The API server's address is often outside of the pods' network,
   * where no selector names it, and any namespace may have Prometheus: an overlay says who else is kept out. Kubelet's probes come from the
   * pod's own node, which no policy keeps out.
   */
  get networkPolicies(): ReadonlyMap<string, ManifestObject> {
    const { metrics, webhooks, console } = this.#description;
    const open = [
      ...(webhooks.length > 0 ? [["allow-webhook-traffic", this.#webhookPort] as const] : []),
      ...(metrics.port === undefined ? [] : [["allow-metrics-traffic", metrics.port] as const]),
      ...(console?.isSecure ? [["allow-console-traffic", console.port] as const] : []), // any other is on loopback
    ];
    return new Map(open.map(([name, port]) => [name, this.#ingress(name, port)]));
  }

  get #spread(): object {
    const labelSelector = { matchLabels: this.#pods };
    return { maxSkew: 1, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "ScheduleAnyway", labelSelector };
  }

  get #webhookPort(): number {
    return this.#options.webhookPort ?? 9443;
  }

  get #ports(): (readonly [name: string, port: number])[] {
    const { metrics, health, webhooks, console } = this.#description;
    return [
      ...(metrics.port === undefined ? [] : [["metrics", metrics.port] as const]),
      ...(health ? [["health", health.port] as const] : []),
      ...(webhooks.length > 0 ? [["webhook-server", this.#webhookPort] as const] : []),
      // By this name it is found: it says how to speak to it, too.
      ...(console ? [[console.isSecure ? "console-https" : "console", console.port] as const] : []),
    ];
  }

  get #probes(): object {
    const { health } = this.#description;
    if (!health) return {};
    const probe = (path: string, initialDelaySeconds: number, periodSeconds: number): object => {
      return { httpGet: { path, port: health.port }, initialDelaySeconds, periodSeconds };
    };
    return { livenessProbe: probe("/healthz", 15, 20), readinessProbe: probe("/readyz", 5, 10) };
  }

  get #labels(): Readonly<Record<string, string>> {
    return { ...this.#pods, "app.kubernetes.io/managed-by": "kustomize" };
  }

  #service(name: string, ports: readonly object[]): ManifestObject {
    return this.#namespaced("v1", "Service", name, { spec: { ports, selector: this.#pods } });
  }

  #ingress(name: string, port: number): ManifestObject {
    const spec = {
      podSelector: { matchLabels: this.#pods },
      policyTypes: ["Ingress"],
      ingress: [{ ports: [{ port, protocol: "TCP" }] }],
    };
    return this.#namespaced("networking.k8s.io/v1", "NetworkPolicy", name, { spec });
  }

  #namespaced(apiVersion: string, kind: string, name: string, body: object): ManifestObject {
    const metadata = { name: `${this.#name}-${name}`, namespace: this.namespace, labels: this.#labels };
    return { apiVersion, kind, metadata, ...body };
  }
}
