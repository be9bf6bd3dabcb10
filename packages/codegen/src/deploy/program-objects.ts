import type { ProgramDescription } from "@kubewright/rbac";
import { alertRules } from "../alerts/alert-rules.ts";

/** An object of any kind in a manifest. */
export interface ManifestObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** Options for a program's Deployment and the objects that belong to it. */
export interface DeploymentOptions {
  /** Namespace of the program. Default: the program's name with the suffix `-system`. */
  readonly namespace?: string | undefined;
  /** Image of the program. Default `controller:latest`. */
  readonly image?: string | undefined;
  /** Arguments of the program. Default: none. */
  readonly args?: readonly string[] | undefined;
  /**
   * Number of replicas. If there is more than one, they are spread over the nodes, and a disruption budget keeps one of them running.
   * Default 1.
   */
  readonly replicas?: number | undefined;
  /** Resources of the container. Default: limits of 500m CPU and 256Mi memory, and requests of 10m and 64Mi. */
  readonly resources?: object | undefined;
  /** Port of the webhook server. Default 9443. */
  readonly webhookPort?: number | undefined;
}

const usualResources = { limits: { cpu: "500m", memory: "256Mi" }, requests: { cpu: "10m", memory: "64Mi" } };

/** The objects that run a program and make it reachable. Their names are complete. */
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
      // The program receives its namespace in this way, because a kustomization or chart may change it.
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
        terminationGracePeriodSeconds: 40, // longer than the 30 s for which a manager waits for its runnables
        topologySpreadConstraints: [this.#spread],
      },
    };
    const spec = { replicas, selector: { matchLabels: this.#pods }, template };
    return this.#namespaced("apps/v1", "Deployment", "controller-manager", { spec });
  }

  /**
   * The program's disruption budget. Undefined for a single replica, because a budget would then prevent all evictions.
   */
  get disruptionBudget(): ManifestObject | undefined {
    const { replicas = 1 } = this.#options;
    if (replicas < 2) return undefined;
    const spec = { minAvailable: 1, selector: { matchLabels: this.#pods } };
    return this.#namespaced("policy/v1", "PodDisruptionBudget", "controller-manager", { spec });
  }

  /** Service for metrics. Undefined if the program serves no metrics. */
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

  /**
   * Empty Secret, in which the program stores its certificate. Because it exists, the program needs no permission to create Secrets.
   * Undefined if the program has no certificate, or stores it elsewhere.
   */
  get certificateSecret(): ManifestObject | undefined {
    const { namespace, name } = this.#description.certificates?.secret ?? {};
    if (name === undefined || namespace !== this.namespace) return undefined;
    return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace, labels: this.#labels }, type: "Opaque" };
  }

  /** ServiceMonitor for the Prometheus operator. Undefined if the program serves no metrics. */
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

  /** Alerts for the Prometheus operator. Undefined if the program serves no metrics. */
  get prometheusRule(): ManifestObject | undefined {
    const service = this.metricsService;
    if (!service) return undefined;
    const rules = alertRules(this.#description, service.metadata.name);
    const spec = { groups: [{ name: `${this.#name}-controller-manager`, rules }] };
    return this.#namespaced("monitoring.coreos.com/v1", "PrometheusRule", "controller-manager-metrics-rules", { spec });
  }

  /**
   * Network policies that allow traffic to the program's ports, and thus block all other ports. They do not restrict
   * sources: the API server's address is often outside the pod network, where no selector matches it, and Prometheus
   * may run in any namespace. Overlays can restrict sources. The kubelet's probes come from the pod's own node, which
   * no policy blocks.
   */
  get networkPolicies(): ReadonlyMap<string, ManifestObject> {
    const { metrics, webhooks, console } = this.#description;
    const open = [
      ...(webhooks.length > 0 ? [["allow-webhook-traffic", this.#webhookPort] as const] : []),
      ...(metrics.port === undefined ? [] : [["allow-metrics-traffic", metrics.port] as const]),
      ...(console?.isSecure ? [["allow-console-traffic", console.port] as const] : []), // otherwise, the console listens only on loopback
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
      // Clients find the console's port and its protocol by the name of the port.
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
