module kubewright.dev/tests/suites/kro

go 1.26.0

require github.com/kubernetes-sigs/kro v0.9.4 // indirect
