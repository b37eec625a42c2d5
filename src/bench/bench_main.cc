// SPDX-License-Identifier: MIT
//
// src/bench/bench_main.cc - the benches under google-benchmark
//
// Every point is registered once per lock, as suite/label/lock.  A shared
// machine drifts, so the locks of a point run interleaved: whichever of them is
// asked for a repetition that is not there yet runs one *round*, each lock
// once, A B C; the others then find theirs measured.  google-benchmark repeats,
// takes medians, filters and prints; its own flags work.  As a point is one
// measurement with a length of its own, each repetition is one iteration.

#include <getopt.h>
#include <math.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench_api.h"

namespace
{

struct options {
	std::vector<size_t> locks;
	double seconds = 0.2;
	bool waits = false;
	std::string summary;
};

options chosen;

struct outcome {
	bool done = false;
	std::string why;
	bench_result plain, waits;
};

// A point's rounds so far; of each, the outcomes in the order of chosen.locks.
struct rounds {
	std::vector<std::vector<outcome>> round;
	std::vector<size_t> given; // to google-benchmark, per lock
};

std::vector<rounds> all;

outcome measure(const bench_point *point, size_t lock)
{
	char why[BENCH_WHY_BYTES];
	outcome o;

	o.done = bench_run(point, lock, chosen.seconds, false, &o.plain, why) &&
		 (!chosen.waits ||
		  bench_run(point, lock, chosen.seconds, true, &o.waits, why));
	if (!o.done)
		o.why = why;
	return o;
}

void run_round(size_t point)
{
	std::vector<outcome> round;

	for (size_t lock : chosen.locks) {
		outcome o;

		if (bench_applies(bench_point_at(point), lock))
			o = measure(bench_point_at(point), lock);
		round.push_back(o);
	}
	all[point].round.push_back(round);
}

void count(benchmark::State &state, const char *name, double value)
{
	if (!isnan(value))
		state.counters[name] = value;
}

void report(benchmark::State &state, const outcome &o)
{
	state.SetIterationTime(o.plain.ns_per_op * 1e-9);
	count(state, "ops/s", o.plain.ops_per_s);
	count(state, "jain", o.plain.jain);
	count(state, "cpu_s/Mop", o.plain.cpu_s_per_mop);
	count(state, "cpus", o.plain.cpu_share);
	count(state, "switches/s", o.plain.switches_per_s);
	count(state, "probe_ns", o.plain.probe_ns);
	if (!chosen.waits)
		return;
	count(state, "wait_p50_ns", o.waits.wait_p50_ns);
	count(state, "wait_p99_ns", o.waits.wait_p99_ns);
	count(state, "wait_p999_ns", o.waits.wait_p999_ns);
	count(state, "wait_max_ns", o.waits.wait_max_ns);
}

void run(benchmark::State &state, size_t point, size_t nth)
{
	rounds &r = all[point];
	const size_t next = r.given[nth]++;

	if (next == r.round.size() && !bench_interrupted())
		run_round(point);
	for (auto _ : state) {
		if (next >= r.round.size())
			state.SkipWithError("interrupted");
		else if (!r.round[next][nth].done)
			state.SkipWithError(r.round[next][nth].why.c_str());
		else
			report(state, r.round[next][nth]);
	}
}

void register_all()
{
	all.resize(bench_points());
	for (size_t i = 0; i < bench_points(); i++) {
		const bench_point *p = bench_point_at(i);
		const std::string name = std::string(bench_suite(p)) + "/" +
					 bench_label(p) + "/";

		all[i].given.resize(chosen.locks.size());
		for (size_t n = 0; n < chosen.locks.size(); n++) {
			if (!bench_applies(p, chosen.locks[n]))
				continue;
			benchmark::RegisterBenchmark(
				(name + bench_lock(chosen.locks[n])).c_str(),
				[i, n](benchmark::State &s) { run(s, i, n); })
				->Iterations(1)
				->UseManualTime()
				->Unit(benchmark::kNanosecond);
		}
	}
}

// Of the rounds in which both were measured: throughput against the other's.
std::vector<double> ratios(const rounds &r, size_t n, size_t against)
{
	std::vector<double> v;

	for (const auto &round : r.round)
		if (round[n].done && round[against].done)
			v.push_back(round[n].plain.ops_per_s /
				    round[against].plain.ops_per_s);
	std::sort(v.begin(), v.end());
	return v;
}

void summary_point(size_t point, size_t against)
{
	const bench_point *p = bench_point_at(point);
	const rounds &r = all[point];

	if (r.round.empty())
		return;
	std::printf("%s/%s\n", bench_suite(p), bench_label(p));
	for (size_t n = 0; n < chosen.locks.size(); n++) {
		const std::vector<double> v = ratios(r, n, against);

		if (!v.empty())
			std::printf("  %-18s %6.2f  (%.2f..%.2f, %zu rounds)\n",
				    bench_lock(chosen.locks[n]),
				    v[v.size() / 2], v.front(), v.back(),
				    v.size());
	}
}

void summary()
{
	size_t against = 0;

	while (chosen.summary != bench_lock(chosen.locks[against]))
		against++;
	std::printf(
		"\nThroughput against %s of the same round: median (range)\n",
		chosen.summary.c_str());
	for (size_t i = 0; i < bench_points(); i++)
		summary_point(i, against);
}

[[noreturn]] void bad(const std::string &what)
{
	std::fprintf(stderr, "tkt-bench: %s\n", what.c_str());
	std::exit(2);
}

std::string lock_names()
{
	std::string names;

	for (size_t i = 0; i < bench_locks(); i++)
		names += (i ? ", " : "") + std::string(bench_lock(i));
	return names;
}

size_t lock_named(const std::string &name)
{
	for (size_t i = 0; i < bench_locks(); i++)
		if (name == bench_lock(i))
			return i;
	bad("lock '" + name + "': allowed are " + lock_names());
}

void parse_locks(const std::string &list)
{
	size_t from = 0, comma;

	chosen.locks.clear();
	do {
		comma = list.find(',', from);
		const size_t lock = lock_named(list.substr(from, comma - from));

		if (std::find(chosen.locks.begin(), chosen.locks.end(), lock) ==
		    chosen.locks.end())
			chosen.locks.push_back(lock);
		from = comma + 1;
	} while (comma != std::string::npos);
}

void parse_seconds(const char *text)
{
	char *end;

	chosen.seconds = std::strtod(text, &end);
	if (end == text || *end || !(chosen.seconds >= 0.001) ||
	    !(chosen.seconds <= 60))
		bad(std::string("seconds '") + text +
		    "': allowed is a number from 0.001 to 60");
}

void help()
{
	std::printf(
		"usage: tkt-bench [OPTION...] [--benchmark_FLAG...]\n\n"
		"  --locks A,B    these locks (default: all)\n"
		"  --seconds S    length of one run (default: 0.2)\n"
		"  --waits        a second run of each, for the wait times\n"
		"  --summary L    at the end, throughput against lock L\n"
		"  --help\n\n"
		"Suites: alone, contended, oversubscribed, many, idle, "
		"kernel;\n"
		"--benchmark_filter=^oversubscribed/ runs one.  A round runs\n"
		"each of the locks once; --benchmark_repetitions=N (default: "
		"5)\n"
		"rounds, of which the median is shown.\n\nLocks: %s\n",
		lock_names().c_str());
}

void parse(int argc, char **argv)
{
	static const struct option table[] = {
		{ "locks", required_argument, nullptr, 'l' },
		{ "seconds", required_argument, nullptr, 's' },
		{ "waits", no_argument, nullptr, 'w' },
		{ "summary", required_argument, nullptr, 'm' },
		{ "help", no_argument, nullptr, 'h' },
		{ nullptr, 0, nullptr, 0 },
	};

	for (size_t i = 0; i < bench_locks(); i++)
		chosen.locks.push_back(i);
	for (int c; (c = getopt_long(argc, argv, "", table, nullptr)) != -1;) {
		if (c == 'l')
			parse_locks(optarg);
		else if (c == 's')
			parse_seconds(optarg);
		else if (c == 'w')
			chosen.waits = true;
		else if (c == 'm')
			chosen.summary = optarg;
		else if (c == 'h')
			help(), std::exit(0);
		else
			std::exit(2);
	}
	if (optind < argc)
		bad(std::string("unknown argument '") + argv[optind] +
		    "'; --help lists them");
	if (chosen.summary.empty())
		return;
	const size_t against = lock_named(chosen.summary);

	if (std::find(chosen.locks.begin(), chosen.locks.end(), against) ==
	    chosen.locks.end())
		bad("summary '" + chosen.summary +
		    "': allowed is one of the locks that run");
}

} // namespace

int main(int argc, char **argv)
{
	// Before the user's, so that theirs win.
	static char repetitions[] = "--benchmark_repetitions=5",
		    medians[] = "--benchmark_report_aggregates_only=true";
	std::vector<char *> args(argv, argv + argc);
	int n;

	// google-benchmark takes --help for itself, and leaves.
	for (int i = 1; i < argc; i++)
		if (!std::strcmp(argv[i], "--help"))
			return help(), 0;
	args.insert(args.begin() + 1, { repetitions, medians });
	n = static_cast<int>(args.size());
	args.push_back(nullptr);
	benchmark::Initialize(&n, args.data());
	parse(n, args.data());
	bench_init();
	register_all();
	benchmark::RunSpecifiedBenchmarks();
	if (!chosen.summary.empty())
		summary();
	return bench_interrupted() ? 130 : 0;
}
