// SPDX-License-Identifier: MIT
//
// Go's own cost of channels and select. Prints results in the format of the C++ programs.
//
//	channels smoke|quick|long
//
// The ends of a channel are goroutines: on one processor in the place of two coroutines of one loop, bound to threads in
// the place of threads and loops. Without that Go runs goroutines that wait for each other on one processor, though it has
// two; four pairs are measured both ways.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"sort"
	"strings"
	"sync"
	"syscall"
	"time"
)

type item struct{ sent int64 }

type record struct {
	Measure string                        `json:"measure"`
	Who     string                        `json:"who"`
	Kind    string                        `json:"kind"`
	At      map[string]int                `json:"at"`
	Median  map[string]float64            `json:"median"`
	Rounds  map[string][]float64          `json:"rounds"`
	Latency map[string]map[string]float64 `json:"latency,omitempty"`
}

var who = "Go " + strings.Join(strings.Split(strings.TrimPrefix(runtime.Version(), "go"), ".")[:2], ".")

var bound = who + ", bound to threads"

func main() {
	efforts := map[string]int{"smoke": 0, "quick": 1, "long": 2}
	effort, known := 1, true
	if len(os.Args) > 1 {
		effort, known = efforts[os.Args[1]], false
		_, known = efforts[os.Args[1]]
	}
	if !known {
		fmt.Fprintf(os.Stderr, "There is no effort '%s': smoke, quick or long\n", os.Args[1])
		os.Exit(2)
	}
	pick := func(values ...int) int { return values[effort] }

	var records []record
	rounds := pick(1, 7, 15)
	for _, capacity := range []int{1, 64} {
		items := pick(400, 5000, 20000)
		if capacity > 1 {
			items *= 5
		}
		at := map[string]int{"capacity": capacity}
		records = append(records,
			measured("channel: within one loop", who, at, rounds, 1, func() (float64, []int64) { return stream(capacity, 1, 10*items, false) }),
			measured("channel: loop → loop", bound, at, rounds, 2, func() (float64, []int64) { return stream(capacity, 1, items, true) }),
			measured("channel: 4 → 4 threads", bound, at, rounds, 2, func() (float64, []int64) { return stream(capacity, 4, items/4, true) }),
			measured("channel: 4 → 4 threads", who, at, rounds, 2, func() (float64, []int64) { return stream(capacity, 4, items/4, false) }))
	}
	steps := pick(200, 3000, 10000)
	rounds = pick(2, 21, 51)
	for _, channels := range []int{2, 8} {
		at := map[string]int{"channels": channels}
		records = append(records,
			measured("select of channels that are ready", who, at, rounds, 1, func() (float64, []int64) { return selectReady(channels, steps) }),
			measured("select of channels that are not ready", who, at, rounds, 1, func() (float64, []int64) { return selectNotReady(channels, steps) }))
	}
	results := map[string]any{"question": "Go", "compiler": runtime.Version(), "records": records}
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// measured runs the rounds of one measure; `run` returns its operations and what latencies it timed.
func measured(measure, who string, at map[string]int, rounds, processors int, run func() (float64, []int64)) record {
	runtime.GOMAXPROCS(processors)
	values := map[string][]float64{}
	var latencies []int64
	for round := 0; round < rounds; round++ {
		user, system := cpuTime()
		begin := time.Now()
		operations, some := run()
		elapsed := time.Since(begin)
		userEnd, systemEnd := cpuTime()
		values["ns"] = append(values["ns"], float64(elapsed.Nanoseconds())/operations)
		values["user_ns"] = append(values["user_ns"], (userEnd-user)/operations)
		values["sys_ns"] = append(values["sys_ns"], (systemEnd-system)/operations)
		latencies = append(latencies, some...)
	}
	medians := map[string]float64{}
	for name, all := range values {
		sorted := append([]float64{}, all...)
		sort.Float64s(sorted)
		medians[name] = sorted[len(sorted)/2]
	}
	result := record{measure, who, "peer", at, medians, values, nil}
	if len(latencies) > 0 {
		sort.Slice(latencies, func(i, j int) bool { return latencies[i] < latencies[j] })
		quantile := func(part float64) float64 { return float64(latencies[int(part*float64(len(latencies)-1))]) }
		result.Latency = map[string]map[string]float64{"item": {
			"count": float64(len(latencies)), "p50": quantile(0.5), "p99": quantile(0.99), "p99.9": quantile(0.999)}}
	}
	return result
}

func cpuTime() (user, system float64) {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0, 0
	}
	return float64(used.Utime.Nano()), float64(used.Stime.Nano())
}

var start = time.Now()

func now() int64 { return int64(time.Since(start)) + 1 }

func stream(capacity, pairs, items int, isBound bool) (float64, []int64) {
	channel := make(chan item, capacity)
	latencies := make([][]int64, pairs)
	var all sync.WaitGroup
	for pair := 0; pair < pairs; pair++ {
		all.Add(2)
		go func() {
			defer all.Done()
			if isBound {
				runtime.LockOSThread() // until the goroutine ends, and its thread with it
			}
			for i := 0; i < items; i++ {
				var sent int64
				if i%16 == 0 { // as in the C++ programs: reading the clock lengthens a send
					sent = now()
				}
				channel <- item{sent}
			}
		}()
		go func(pair int) {
			defer all.Done()
			if isBound {
				runtime.LockOSThread()
			}
			for i := 0; i < items; i++ {
				if received := <-channel; received.sent != 0 {
					latencies[pair] = append(latencies[pair], now()-received.sent)
				}
			}
		}(pair)
	}
	all.Wait()
	var together []int64
	for _, some := range latencies {
		together = append(together, some...)
	}
	return float64(items * pairs), together
}

func made(count int) []chan int {
	channels := make([]chan int, count)
	for i := range channels {
		channels[i] = make(chan int, 1)
	}
	return channels
}

func receiveFirst(c []chan int) int {
	if len(c) == 2 {
		select {
		case value := <-c[0]:
			return value
		case value := <-c[1]:
			return value
		}
	}
	select {
	case value := <-c[0]:
		return value
	case value := <-c[1]:
		return value
	case value := <-c[2]:
		return value
	case value := <-c[3]:
		return value
	case value := <-c[4]:
		return value
	case value := <-c[5]:
		return value
	case value := <-c[6]:
		return value
	case value := <-c[7]:
		return value
	}
}

func selectReady(count, steps int) (float64, []int64) {
	channels := made(count)
	for step := 0; step < steps; step++ {
		for _, channel := range channels {
			select {
			case channel <- step:
			default:
			}
		}
		receiveFirst(channels)
	}
	return float64(steps), nil
}

// Two goroutines, each with channels of its own: the first waits before it sends, the second sends before it waits.
func selectNotReady(count, steps int) (float64, []int64) {
	first, second := made(count), made(count)
	done := make(chan bool)
	go func() {
		for step := 0; step < steps; step++ {
			first[step%count] <- step
			receiveFirst(second)
		}
		done <- true
	}()
	for step := 0; step < steps; step++ {
		receiveFirst(first)
		second[step%count] <- step
	}
	<-done
	return float64(2 * steps), nil
}
