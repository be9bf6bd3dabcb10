import { inDefault, metadata, type Template } from "./template.ts";

const storage = "/apis/storage.k8s.io/v1";

export const storageTemplates: readonly Template[] = [
  {
    collection: "/api/v1/persistentvolumes",
    object: {
      metadata: metadata("pv"),
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        persistentVolumeReclaimPolicy: "Retain",
        storageClassName: "sc",
        volumeMode: "Filesystem",
        mountOptions: ["ro"],
        hostPath: { path: "/x", type: "Directory" },
        claimRef: { kind: "PersistentVolumeClaim", namespace: "default", name: "pvc" },
        nodeAffinity: {
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "k", operator: "In", values: ["v"] }] }] },
        },
      },
    },
    status: { phase: "Bound", message: "m", reason: "r" },
  },
  {
    collection: "/api/v1/persistentvolumes",
    object: {
      metadata: metadata("pv-csi"),
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadOnlyMany"],
        csi: {
          driver: "d.example.com",
          volumeHandle: "h",
          fsType: "ext4",
          nodePublishSecretRef: { name: "s", namespace: "default" },
        },
      },
    },
  },
  {
    collection: inDefault("core", "persistentvolumeclaims"),
    object: {
      metadata: metadata("pvc"),
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
        storageClassName: "sc",
        volumeMode: "Filesystem",
        volumeName: "pv",
        selector: { matchLabels: { a: "b" } },
        dataSource: { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "snap" },
      },
    },
    status: { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } },
  },
  {
    collection: `${storage}/storageclasses`,
    object: {
      metadata: metadata("sc"),
      provisioner: "example.com/p",
      parameters: { a: "b" },
      reclaimPolicy: "Retain",
      volumeBindingMode: "WaitForFirstConsumer",
      allowVolumeExpansion: true,
      mountOptions: ["ro"],
      allowedTopologies: [{ matchLabelExpressions: [{ key: "zone", values: ["z"] }] }],
    },
  },
  {
    collection: `${storage}/csidrivers`,
    object: {
      metadata: metadata("d.example.com"),
      spec: {
        attachRequired: true,
        podInfoOnMount: true,
        volumeLifecycleModes: ["Persistent", "Ephemeral"],
        storageCapacity: true,
        fsGroupPolicy: "File",
        tokenRequests: [{ audience: "a", expirationSeconds: 3600 }],
        requiresRepublish: true,
        seLinuxMount: false,
      },
    },
  },
  {
    collection: `${storage}/csinodes`,
    object: {
      metadata: metadata("n"),
      spec: { drivers: [{ name: "d.example.com", nodeID: "n", topologyKeys: ["zone"], allocatable: { count: 3 } }] },
    },
  },
  {
    collection: inDefault(storage, "csistoragecapacities"),
    object: {
      metadata: metadata("csc"),
      storageClassName: "sc",
      capacity: "1Gi",
      maximumVolumeSize: "1Gi",
      nodeTopology: { matchLabels: { a: "b" } },
    },
  },
  {
    collection: `${storage}/volumeattachments`,
    object: {
      metadata: metadata("va"),
      spec: { attacher: "d.example.com", nodeName: "n", source: { persistentVolumeName: "pv" } },
    },
    status: { attached: true, attachmentMetadata: { a: "b" }, attachError: { message: "m" } },
  },
  {
    collection: `${storage}/volumeattributesclasses`,
    object: { metadata: metadata("vac"), driverName: "d.example.com", parameters: { a: "b" } },
  },
];
