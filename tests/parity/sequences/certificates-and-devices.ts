import { get, patch, post, put, type RequestStep, remove, type Sequence } from "../runner/sequence.ts";
import { tableAccept } from "./objects.ts";

const certificates = "/apis/certificates.k8s.io/v1";
const bundles = `${certificates}/clustertrustbundles`;
const rules = "/apis/resource.k8s.io/v1/devicetaintrules";
const migrations = "/apis/storagemigration.k8s.io/v1/storageversionmigrations";
const nodes = "/apis/storage.k8s.io/v1/csinodes";
const dry = (path: string): string => `${path}?dryRun=All`;
const named = (name: string, spec?: unknown): object => ({
  metadata: { name },
  ...(spec === undefined ? {} : { spec }),
});
const table = { accept: tableAccept };

// openssl req -x509, with CA:TRUE and with CA:FALSE
const authority =
  "-----BEGIN CERTIFICATE-----\n" +
  "MIIBcjCCARegAwIBAgIUFCIeisNe3zveyEiL60fwlBQZB9gwCgYIKoZIzj0EAwIw\n" +
  "DTELMAkGA1UEAwwCY2EwIBcNMjYxMTI3MTUyMTExWhgPMjEyNjExMDMxNTIxMTFa\n" +
  "MA0xCzAJBgNVBAMMAmNhMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE0GiiV//7\n" +
  "0L2eg5vQaWLC+PxHFCa6jSymhw5Qtsms0d8MU/owfe1jmqClZUHHid0w5tULEieY\n" +
  "CpzZLRXDqjQQN6NTMFEwHQYDVR0OBBYEFFK3VWp+MXVPi2wb+YGZzCzydMuTMB8G\n" +
  "A1UdIwQYMBaAFFK3VWp+MXVPi2wb+YGZzCzydMuTMA8GA1UdEwEB/wQFMAMBAf8w\n" +
  "CgYIKoZIzj0EAwIDSQAwRgIhAJpLA4qNagjT7i8y/BDB5IqEBlDxOVuX1cAfWr5i\n" +
  "iXu3AiEAz+6gdQfuNfJwhfhDecGRIJEMZsbhZNYV4Sts1HqN4Vc=\n" +
  "-----END CERTIFICATE-----\n";
const leaf =
  "-----BEGIN CERTIFICATE-----\n" +
  "MIIBczCCARigAwIBAgIUdXTnkm5qQhNHvrwlvm6fgh21UGgwCgYIKoZIzj0EAwIw\n" +
  "DzENMAsGA1UEAwwEbGVhZjAgFw0yNjExMjcxNTIxMTFaGA8yMTI2MTEwMzE1MjEx\n" +
  "MVowDzENMAsGA1UEAwwEbGVhZjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNBo\n" +
  "olf/+9C9noOb0Gliwvj8RxQmuo0spocOULbJrNHfDFP6MH3tY5qgpWVBx4ndMObV\n" +
  "CxInmAqc2S0Vw6o0EDejUDBOMB0GA1UdDgQWBBRSt1VqfjF1T4tsG/mBmcws8nTL\n" +
  "kzAfBgNVHSMEGDAWgBRSt1VqfjF1T4tsG/mBmcws8nTLkzAMBgNVHRMBAf8EAjAA\n" +
  "MAoGCCqGSM49BAMCA0kAMEYCIQDvDdTufaLigX0/bKL6+Z8LAe5TgAw1+FD9pUMC\n" +
  "mN4FzQIhAM+WB4ERb0zcdBo7eccrPaVZCAB5k/4/Tm5rJYY2bI0x\n" +
  "-----END CERTIFICATE-----\n";

const bundle = (id: string, name: string, spec: object): RequestStep =>
  post(`bundle: ${id}`, dry(bundles), named(name, spec));

const trustBundles: Sequence = {
  name: "trust-bundles",
  steps: [
    bundle("nothing", "a", {}),
    bundle("name of a signer", "example.com:s:a", { trustBundle: authority }),
    bundle("another signer's name", "a", { signerName: "example.com/s", trustBundle: authority }),
    bundle("bad signer", "s:a", { signerName: "s", trustBundle: authority }),
    bundle("bad domain", "example:S:a", { signerName: "example/S", trustBundle: authority }),
    bundle("bad rest of the name", "example.com:s:A_", { signerName: "example.com/s", trustBundle: authority }),
    bundle("text", "a", { trustBundle: "x" }),
    bundle("no authority", "a", { trustBundle: leaf }),
    bundle("twice", "a", { trustBundle: authority + authority }),
    bundle("headers", "a", { trustBundle: authority.replace("-----\n", "-----\na: b\n\n") }),
    bundle("other blocks", "a", { trustBundle: authority.replaceAll("CERTIFICATE", "KEY") }),
    bundle("broken", "a", { trustBundle: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n" }),
    post("bundle", bundles, named("example.com:s:parity", { signerName: "example.com/s", trustBundle: authority })),
    patch("another signer", "merge", `${bundles}/example.com:s:parity`, { spec: { signerName: "example.com/t" } }),
    patch("another bundle", "merge", `${bundles}/example.com:s:parity`, { spec: { trustBundle: `${authority}\n` } }),
    put(
      "no version",
      `${bundles}/example.com:s:parity`,
      named("example.com:s:parity", { signerName: "example.com/s", trustBundle: authority }),
    ),
    get("by signer", `${bundles}?fieldSelector=spec.signerName=example.com/s`),
    get("by another field", `${bundles}?fieldSelector=spec.trustBundle=x`),
    get("table of bundles", `${bundles}?fieldSelector=spec.signerName=example.com/s`, table),
    remove("bundle removed", `${bundles}/example.com:s:parity`),
  ],
};

/** PKCS #10 requests in DER, as kubelets create them, and keys with the signature of `pod-uid`. */
const requests = {
  ed25519:
    "MH8wMwIBADAAMCowBQYDK2VwAyEAwcjlvoj1xxBdo9JZdxUCyaM8olBMF5NNBpHU5Y6GZomgADAFBgMrZXADQQDVn5l92ze1B6b2" +
    "ew7k14Ve9d+NtMr8Jsg3ItE2p0HXFr8ZcXwAeDYUiKUPQV8oV3fH5e0eWu+mW9+Mg+87RWwF",
  p384:
    "MIH3MH8CAQAwADB2MBAGByqGSM49AgEGBSuBBAAiA2IABGares2HH2H5rcZW/cvmHVjlFPSfhd7xv8+kyzJDCvOf1avteGOB8czD" +
    "QOTunsLcqqQyyjMELMfzhqe+KuQpvguzrGVc2fl09cLLEzmBgUwy7jmqKLKohXUvuFZ5HkUwTKAAMAoGCCqGSM49BAMCA2gAMGUC" +
    "MQCepgHLaDJMsb+tukTuS95I33SDYbVd9IFvPyIJnVCAi7hLdDzJHL0Obf9f/UfAhLgCMDDQwH3w1wdJLwXQI0feezU/I/EzvevR" +
    "Qqqjh8dmsglUXMC8+WaEK1w9ISxElsH/oA==",
  p224:
    "MIGoMFcCAQAwADBOMBAGByqGSM49AgEGBSuBBAAhAzoABP8zAseWfMLZmSQayGdbW28ELgq5DkbSq4jxSPYXhHdnnsj1KTXlh/+0" +
    "CrFhHYw2Tdtkz7n3D1PfoAAwCgYIKoZIzj0EAwIDQQAwPgIdAPMLOy4IZoOJSIbTefKZOJY0VKkQNAMXYv76VmgCHQDPuqMs4vc5" +
    "Cjc8KnFVJ8Ive6A4LV+j/Xhj+7HK",
  "rsa 2048":
    "MIICRTCCAS0CAQAwADCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBAKfD4JiqJ0FdVw/syzbZKQmAxvSsq8ANfEQxt9kf" +
    "wNXrYp7K86Ct+NsVVyjjmKT55/xkrey2lTJMHutvdhG0zHwgIvqrJ+I/roIUZegF+kHWl+Tfhplo8gD9T1ye4/hT4COZo0dm22Q+" +
    "vH3GGMzEmcQ06+80XZ87gDRGuN5Ql1BXhKjnFK6MAVx3qC4nCOxBIATWx990skzJW/0ttQ/ZUYpD9ik3in0i9gaSwm/X3o7/LUFk" +
    "AMOVH48UFyOKFcdUB8IobiucmBNR+mjMtyBY4k0wZbr1HHYvqUzuTtqLZjvfjRbls7xr/VzcxoIiOFQKZbXXsK0+PXKgYzeArdOu" +
    "cX0CAwEAAaAAMA0GCSqGSIb3DQEBCwUAA4IBAQCMBOMhmPiAvCsOB+fOMxdlQ4fcLyzSQqaR5xivQs2QgvmRZv+6r865T5wL8eYT" +
    "y68VeoP2O5LT8lPm//cp7zCZQ74CmJagTEE/XabV3cNl2gkKE2Nfxr6uFg+uvfmNN5ISgjKH7TbZAS/tqO4/m+wljIBmHNsDp3+2" +
    "QXtrO4adao4UER/636oJlVa8bFqHHX0dv5Lo23pZEQ3TuCNCBhujpnrD8pdufFZNQZX5TmMGu6uzEVaxaWASY9sXmq4zhA2T5QOj" +
    "+KO344ziNx+2+dp/cpeeCiaWV5TUmrnuDoNFVXKP5z+T/NwnaCwOmw2fZfznI6lkRaiamUO9x1Ofx7fQ",
  "bad signature":
    "MH8wMwIBADAAMCowBQYDK2VwAyEAwcjlvoj1xxBdo9JZdxUCyaM8olBMF5NNBpHU5Y6GZomgADAFBgMrZXADQQDVn5l92ze1B6b2" +
    "ew7k14Ve9d+NtMr8Jsg3ItE2p0HXFr8ZcXwAeDYUiKUPQV8oV3fH5e0eWu+mW9+Mg+87RWwE",
  bytes: "AAAA",
};
const keys = {
  ed25519: [
    "MCowBQYDK2VwAyEAwcjlvoj1xxBdo9JZdxUCyaM8olBMF5NNBpHU5Y6GZok=",
    "dkqlgjDsZG0Y0ZsQ3AVxXcR9XjNS3awOAio1hCaLEN4OPRnEN8gkSVxLiEyyBfRoqxlOM1ek3oF69xjac9dfCA==",
  ],
  p384: [
    "MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEZqt6zYcfYfmtxlb9y+YdWOUU9J+F3vG/z6TLMkMK85/Vq+14Y4HxzMNA5O6ewtyqpDLK" +
      "MwQsx/OGp74q5Cm+C7OsZVzZ+XT1wssTOYGBTDLuOaoosqiFdS+4VnkeRTBM",
    "MGYCMQDov8zDLSytTIQC5W+GqOKHKlOUnMqxX2QoSulCqkRn7aP5XAtNONmvfXvYaARjlu4CMQDk86J4W2SKPsow9kfN9+iK2Qwp" +
      "lDFqHfqF2wn+RxyDS5phZpardInANhnXCy5ypC8=",
  ],
  "another proof": [
    "MCowBQYDK2VwAyEAwcjlvoj1xxBdo9JZdxUCyaM8olBMF5NNBpHU5Y6GZok=",
    "MGYCMQDov8zDLSytTIQC5W+GqOKHKlOUnMqxX2QoSulCqkRn7aP5XAtNONmvfXvYaARjlu4CMQDk86J4W2SKPsow9kfN9+iK2Qwp" +
      "lDFqHfqF2wn+RxyDS5phZpardInANhnXCy5ypC8=",
  ],
  x25519: ["MCowBQYDK2VuAyEALH+NFpIFuauIu6jM8I7u5iWmFlxAXP6YG1BPsAjT+m0=", "AAAA"],
  bytes: ["AAAA", "AAAA"],
} as const;

const pod = {
  signerName: "example.com/s",
  podName: "p",
  podUID: "pod-uid",
  serviceAccountName: "s",
  serviceAccountUID: "account-uid",
  nodeName: "n",
  nodeUID: "node-uid",
  stubPKCS10Request: requests.ed25519,
};
const podPath = "certificates.k8s.io~/podcertificaterequests";
const wanted = (id: string, spec: object): RequestStep => post(`request: ${id}`, dry(podPath), named("a", spec));
const condition = (type: string, more: object = {}): object => ({
  type,
  status: "True",
  reason: "Because",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
  ...more,
});
const ended = (id: string, status: object): RequestStep =>
  patch(`status: ${id}`, "merge", `${podPath}/a/status`, { status });

const podCertificates: Sequence = {
  name: "pod-certificates",
  steps: [
    wanted("nothing", {}),
    wanted("bad names", { ...pod, podName: "A_", serviceAccountName: "A_", nodeName: "A_", podUID: "x".repeat(129) }),
    wanted("too short", { ...pod, maxExpirationSeconds: 60 }),
    wanted("too long", { ...pod, maxExpirationSeconds: 91 * 86_400 + 1 }),
    wanted("too long for Kubernetes", { ...pod, signerName: "kubernetes.io/s", maxExpirationSeconds: 86_401 }),
    wanted("annotations: no domain", { ...pod, unverifiedUserAnnotations: { a: "", "example.com/A": "b" } }),
    wanted("annotations: no key", { ...pod, unverifiedUserAnnotations: { "a/b/c": "d" } }),
    wanted("both forms", { ...pod, pkixPublicKey: keys.ed25519[0], proofOfPossession: keys.ed25519[1] }),
    ...Object.entries(requests).map(([id, stubPKCS10Request]) => wanted(id, { ...pod, stubPKCS10Request })),
    ...Object.entries(keys).map(([id, [pkixPublicKey, proofOfPossession]]) => {
      const { stubPKCS10Request: _none, ...others } = pod;
      return wanted(`key ${id}`, { ...others, pkixPublicKey, proofOfPossession });
    }),
    post("request", podPath, named("a", pod)),
    patch("another pod", "merge", `${podPath}/a`, { spec: { podName: "q" } }),
    patch("label", "merge", `${podPath}/a`, { metadata: { labels: { a: "b" } }, status: { certificateChain: "x" } }),
    get("table of requests", podPath, table),
    get("by pod", `${podPath}?fieldSelector=spec.podName=p,spec.nodeName=n`),
    ended("no condition", { certificateChain: "x" }),
    ended("unknown condition", { conditions: [condition("Ready")] }),
    ended("incomplete condition", { conditions: [{ type: "Denied", status: "False" }] }),
    ended("two conditions", { conditions: [condition("Denied"), condition("Failed", { reason: "-" })] }),
    ended("denied with a certificate", { conditions: [condition("Denied")], certificateChain: "x" }),
    ended("issued without a certificate", { conditions: [condition("Issued")] }),
    ended("issued for another key", { conditions: [condition("Issued")], certificateChain: leaf }),
    { ...ended("by somebody else", { conditions: [condition("Denied")] }), as: "jane" },
    ended("denied", { conditions: [condition("Denied")] }),
    ended("denied again", { conditions: [condition("Denied", { reason: "Other" })] }),
    get("table of denied requests", podPath, table),
    remove("request removed", `${podPath}/a`),
  ],
};

const taint = (more: object = {}) => ({ key: "a", effect: "NoSchedule", timeAdded: "2026-01-01T00:00:00Z", ...more });

const deviceTaints: Sequence = {
  name: "device-taints",
  steps: [
    post("rule: nothing", dry(rules), named("a", {})),
    post("rule: defaults", dry(rules), named("a", { taint: { key: "a", effect: "None" } })),
    post(
      "rule: bad values",
      dry(rules),
      named("a", {
        deviceSelector: { driver: "A_", pool: "a//B_", device: "A_" },
        taint: { key: "a b", value: "-", effect: "Never" },
      }),
    ),
    post("rule", rules, named("a", { deviceSelector: { driver: "d", pool: "p/q", device: "e" }, taint: taint() })),
    patch("another value", "merge", `${rules}/a`, { spec: { taint: { value: "b" } } }),
    patch("another time", "merge", `${rules}/a`, {
      spec: { taint: { effect: "NoExecute", timeAdded: "2026-02-01T00:00:00Z" } },
    }),
    put("no version", `${rules}/a`, named("a", { taint: taint() })),
    patch("conditions", "merge", `${rules}/a/status`, {
      metadata: { labels: { a: "b" } },
      status: { conditions: [condition("EvictionInProgress")] },
    }),
    patch("nine conditions", "merge", `${rules}/a/status`, {
      status: { conditions: Array.from({ length: 9 }, (_, i) => condition(`C${i}`)) },
    }),
    patch("bad conditions", "merge", `${rules}/a/status`, {
      status: {
        conditions: [
          {},
          condition("a b", { status: "Yes", reason: "a b", observedGeneration: -1, lastTransitionTime: null }),
        ],
      },
    }),
    get("table of rules", rules, table),
    remove("rule removed", `${rules}/a`),
  ],
};

const storageMigrations: Sequence = {
  name: "storage-migrations",
  steps: [
    post("migration: nothing", dry(migrations), named("a", {})),
    post("migration: bad names", dry(migrations), named("a", { resource: { group: "A_", resource: "A_" } })),
    post("migration", migrations, named("a", { resource: { group: "apps", resource: "deployments" } })),
    patch("another resource", "merge", `${migrations}/a`, { spec: { resource: { group: "" } } }),
    get("table of migrations", migrations, table),
    patch("bad version", "merge", `${migrations}/a/status`, { status: { resourceVersion: "01" } }),
    patch("version", "merge", `${migrations}/a/status`, { status: { resourceVersion: "7" } }),
    patch("another version", "merge", `${migrations}/a/status`, { status: { resourceVersion: "8" } }),
    patch("both results", "merge", `${migrations}/a/status`, {
      status: { conditions: [condition("Succeeded"), condition("Failed")] },
    }),
    patch("succeeded", "merge", `${migrations}/a/status`, {
      status: { conditions: [condition("Running", { status: "False" }), condition("Succeeded")] },
    }),
    patch("no longer", "merge", `${migrations}/a/status`, { status: { conditions: [] } }),
    get("table of ended migrations", migrations, table),
    remove("migration removed", `${migrations}/a`),
  ],
};

const nodeStatus: Sequence = {
  name: "csi-node-status",
  steps: [
    post("node", nodes, { ...named("parity", { drivers: [] }), status: { storageHealth: [{ name: "d" }] } }),
    patch("health", "merge", `${nodes}/parity/status`, {
      metadata: { labels: { a: "b" } },
      status: { storageHealth: [{ name: "d", healthConditions: [{ status: "StorageDegraded", reason: "R" }] }] },
    }),
    get("status", `${nodes}/parity/status`),
    remove("node removed", `${nodes}/parity`),
  ],
};

const hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const rule = (apiGroups: readonly string[], resources: readonly string[]) => ({
  apiGroups,
  apiVersions: ["*"],
  operations: ["CREATE"],
  resources,
});
const reviews = ["tokenreviews", "selfsubjectreviews", "tokenreviews", "other"];

/** Checks that Kubernetes 1.37 makes in resources that it served before. */
const newChecks: Sequence = {
  name: "new-checks",
  steps: [
    post("hook for reviews", dry(hooks), {
      metadata: { name: "a" },
      webhooks: [
        {
          name: "a.example.com",
          clientConfig: { url: "https://example.com" },
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
          rules: [
            rule(["", "authentication.k8s.io"], reviews),
            rule(["*"], reviews),
            rule(["authorization.k8s.io"], ["*"]),
          ],
        },
      ],
    }),
    post("range of ports", dry("networking.k8s.io~/networkpolicies"), {
      metadata: { name: "a" },
      spec: { podSelector: {}, ingress: [{ ports: [{ port: 80, endPort: 79 }] }] },
    }),
    post("binding", "rbac.authorization.k8s.io~/rolebindings", {
      metadata: { name: "a" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "a" },
    }),
    patch("another role", "merge", "rbac.authorization.k8s.io~/rolebindings/a", { roleRef: { name: "b" } }),
    post("node", "/api/v1/nodes", { metadata: { name: "new-checks" }, spec: { providerID: "a" } }),
    patch("another provider", "merge", "/api/v1/nodes/new-checks", { spec: { providerID: "b" } }),
    patch("no provider", "merge", "/api/v1/nodes/new-checks", { spec: { providerID: null } }),
    remove("node removed", "/api/v1/nodes/new-checks"),
    post("pod", "~/pods", { metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "i" }] } }),
    post("node of a bad name", "~/pods/a/binding", { target: { name: "A_" } }),
    patch("address", "merge", "~/pods/a/status", { status: { podIP: "10.0.0.1" } }),
    patch("addresses", "merge", "~/pods/a/status", { status: { podIP: null, podIPs: [{ ip: "10.0.0.2" }] } }),
    patch("different addresses", "merge", "~/pods/a/status", { status: { podIP: "10.0.0.3" } }),
    patch("volumes while resizing", "strategic", "~/pods/a/resize", {
      spec: { volumes: [{ name: "v", emptyDir: {} }] },
    }),
    remove("pod removed", "~/pods/a?gracePeriodSeconds=0"),
    post("account", "~/serviceaccounts", { metadata: { name: "a" } }),
    post("attestation", "~/serviceaccounts/a/token", { spec: { attestations: { a: ["b"] } } }),
    post("token for a webhook", "~/serviceaccounts/a/token", {
      spec: {
        audiences: ["a"],
        attestations: { admissionReviewAPIGroups: ["apps"] },
        boundObjectRef: {
          apiVersion: "admissionregistration.k8s.io/v1",
          kind: "ValidatingWebhookConfiguration",
          name: "a",
        },
      },
    }),
    post("token for a webhook, without attestations", "~/serviceaccounts/a/token", {
      spec: {
        boundObjectRef: {
          apiVersion: "admissionregistration.k8s.io/v1",
          kind: "MutatingWebhookConfiguration",
          name: "a",
        },
      },
    }),
    post("job with scheduling", dry("batch~/jobs"), {
      metadata: { name: "a" },
      spec: {
        scheduling: { schedulingPolicy: { gang: { minCount: 3 } } },
        template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } },
      },
    }),
    post("pod with fields of disabled features", dry("~/pods"), {
      metadata: { name: "b" },
      spec: {
        serviceAccount: "s",
        terminationGracePeriodSeconds: -1,
        evictionResponders: [{ name: "example.com/a", priority: 1 }],
        containers: [
          {
            name: "c",
            image: "i",
            livenessProbe: { httpGet: { port: 80, protocol: "HTTP2" } },
            readinessProbe: { grpc: { port: 80, mode: "TLS" } },
            volumeMounts: [{ name: "e", mountPath: "/e", bindMountOptions: ["noexec"] }],
          },
        ],
        volumes: [
          { name: "e", emptyDir: { mode: 511 } },
          { name: "s", secret: { secretName: "s", defaultUser: 5, items: [{ key: "k", path: "p", user: 5 }] } },
          { name: "d", downwardAPI: { defaultUser: 5 } },
          {
            name: "p",
            projected: {
              defaultUser: 5,
              sources: [
                { serviceAccountToken: { path: "t", user: 5 } },
                { clusterTrustBundle: { name: "a", path: "b", user: 5 } },
                { podCertificate: { signerName: "example.com/s", keyType: "ED25519", credentialBundlePath: "c" } },
              ],
            },
          },
        ],
      },
    }),
    post("pod with bad bundles and certificates", dry("~/pods"), {
      metadata: { name: "b" },
      spec: {
        containers: [
          {
            name: "c",
            image: "i",
            securityContext: { allowPrivilegeEscalation: false, capabilities: { add: ["CAP_SYS_ADMIN"] } },
          },
        ],
        hostPID: true,
        shareProcessNamespace: true,
        volumes: [
          {
            name: "p",
            projected: {
              sources: [
                { clusterTrustBundle: {} },
                { clusterTrustBundle: { name: "A_", signerName: "s", labelSelector: {}, path: "../a" } },
                { clusterTrustBundle: { signerName: "example.com/s", name: "b", path: "b" } },
                { podCertificate: {} },
                { podCertificate: { signerName: "s", keyType: "RSA", maxExpirationSeconds: 1, keyPath: "k" } },
              ],
            },
          },
        ],
      },
    }),
    post("stateful set that recreates", dry("apps~/statefulsets"), {
      metadata: { name: "a" },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
        updateStrategy: { type: "Recreate" },
      },
    }),
    get("shards while the feature is disabled", "~/serviceaccounts?shardSelector=x"),
  ],
};

/** Resources and checks that are new in Kubernetes 1.37. */
export const certificatesAndDevices: readonly Sequence[] = [
  trustBundles,
  podCertificates,
  deviceTaints,
  storageMigrations,
  nodeStatus,
  newChecks,
];
