/** The kube-apiserver that this server answers like. */
export const mirroredVersion = { major: "1", minor: "36", patch: "3" } as const;
