package main

import (
	"bytes"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

// spec is the configuration of this process; see src/subjects/spec.ts.
type spec struct {
	Role       string `json:"role"`
	Subject    string `json:"subject"`
	URL        string `json:"url"`
	Kubeconfig string `json:"kubeconfig"`
	Objects    int    `json:"objects"`
	Read       string `json:"read"`
	Handlers   int    `json:"handlers"`
	Workers    int    `json:"workers"`
	Writes     bool   `json:"writes"`
	Logs       bool   `json:"logs"`
	Port       int    `json:"port"`
	CertDir    string `json:"certDir"`
}

// command is one line of standard input.
type command struct {
	Do      string `json:"do"`
	Events  int    `json:"events"`
	Latency bool   `json:"latency"`
	Rounds  int    `json:"rounds"`
}

type usage struct {
	CPUMicros    int64   `json:"cpuMicros"`
	WallMs       float64 `json:"wallMs"`
	PeakRSSBytes int64   `json:"peakRssBytes"`
	LatencyP50Ms float64 `json:"latencyP50Ms,omitempty"`
}

type heap struct {
	HeapBytes uint64 `json:"heapBytes"`
	RSSBytes  int64  `json:"rssBytes"`
}

type acknowledgement struct {
	Read int64 `json:"read"`
}

// subject executes a command and returns a value to be written as a line of JSON.
type subject interface {
	carryOut(command) any
}

// meter measures the resources that this process uses between two moments.
type meter struct {
	cpu     int64
	started time.Time
}

func (m *meter) start() {
	forgetPeak()
	m.cpu, m.started = cpuMicros(), time.Now()
}

func (m *meter) read() usage {
	return usage{
		CPUMicros:    cpuMicros() - m.cpu,
		WallMs:       float64(time.Since(m.started)) / float64(time.Millisecond),
		PeakRSSBytes: statusBytes("VmHWM:"),
	}
}

func cpuMicros() int64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return used.Utime.Nano()/1_000 + used.Stime.Nano()/1_000
}

// forgetPeak resets the peak resident size on Linux.
func forgetPeak() {
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		panic(err)
	}
}

func statusBytes(field string) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	_, rest, _ := bytes.Cut(status, []byte(field))
	kib, err := strconv.ParseInt(string(bytes.Fields(rest)[0]), 10, 64)
	if err != nil {
		panic(err)
	}
	return kib * 1024
}

func heapNow() heap {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	debug.FreeOSMemory()
	return heap{HeapBytes: stats.HeapAlloc, RSSBytes: statusBytes("VmRSS:")}
}

// monotonicNanos returns the time of the clock that the feed uses for timestamps.
func monotonicNanos() int64 {
	const clockMonotonic = 1
	var now syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}
