module kubewright.dev/tools/upstream

go 1.26.0
