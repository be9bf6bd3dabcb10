import type { RbacSource } from "@kubewright/apiserver/authorization";
import { everything, type Storage, type StoredObject } from "@kubewright/storage";

const prefix = "/rbac.authorization.k8s.io";

/** Returns a source that reads roles and bindings directly from the store. */
export function rbacSource(storage: Storage): RbacSource {
  const get = async (key: string): Promise<StoredObject | undefined> => storage.get(key, { ignoreNotFound: true });
  const list = async (folder: string): Promise<readonly StoredObject[]> =>
    (await storage.getList(folder, { predicate: everything })).items;
  return {
    role: async (namespace, name) => asRole(await get(`${prefix}/roles/${namespace}/${name}`)),
    clusterRole: async (name) => asRole(await get(`${prefix}/clusterroles/${name}`)),
    roleBindings: async (namespace) => asBindings(await list(`${prefix}/rolebindings/${namespace}/`)),
    clusterRoleBindings: async () => asBindings(await list(`${prefix}/clusterrolebindings/`)),
  };
}

type Role = Awaited<ReturnType<RbacSource["role"]>>;
type Bindings = Awaited<ReturnType<RbacSource["roleBindings"]>>;

const asRole = (object: unknown): Role => object as Role;
const asBindings = (objects: unknown): Bindings => objects as Bindings;
