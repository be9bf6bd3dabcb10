"""The operator from which the migration test hands over: each Site gets a page and a record."""

import time

import kopf
import kubernetes


def report(what, name):
    """The test reads these lines, and checks that no other program reconciles the same Site at the same time."""
    print(what, name, int(time.time() * 1000), flush=True)


# #region handlers
@kopf.on.login()
def login(**_):
    kubernetes.config.load_kube_config()
    return kopf.login_via_client(**_)


@kopf.on.create("shop.example.com", "v1", "sites")
@kopf.on.update("shop.example.com", "v1", "sites", field="spec")
@kopf.on.resume("shop.example.com", "v1", "sites")
def reconcile(spec, name, namespace, meta, patch, **_):
    report("begin", name)
    write({
        "metadata": {"namespace": "records", "name": name},
        "data": {"title": spec["title"]},
    })
    data = {"index.html": f"<h1>{spec['title']}</h1>", "generator": "kopf"}
    page = {"metadata": {"namespace": namespace, "name": f"{name}-page"}, "data": data}
    kopf.append_owner_reference(page)
    write(page)
    patch.status["observedGeneration"] = meta["generation"]
    report("end", name)


@kopf.on.delete("shop.example.com", "v1", "sites")
def clean_up(name, **_):
    report("begin", name)
    try:
        kubernetes.client.CoreV1Api().delete_namespaced_config_map(name, "records")
    except kubernetes.client.ApiException as error:
        if error.status != 404:
            raise
    report("end", name)


def write(config_map):
    """Creates a ConfigMap, or changes an existing one."""
    core, metadata = kubernetes.client.CoreV1Api(), config_map["metadata"]
    name, namespace = metadata["name"], metadata["namespace"]
    try:
        core.create_namespaced_config_map(namespace, config_map)
    except kubernetes.client.ApiException as error:
        if error.status != 409:
            raise
        core.patch_namespaced_config_map(name, namespace, config_map)


# #endregion handlers
