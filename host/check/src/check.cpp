// check.cpp: the parent process: the order of the tests, and which tests are skipped because an
// earlier one failed.
#include "check/check.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>

#include "base/error.hpp"
#include "base/text.hpp"
#include "nursery.hpp"
#include "plugins/file.hpp"
#include "tests.hpp"
#include "verdict.hpp"

namespace broch::check {
namespace {

struct Planned {
  const Test* test;
  std::string component;
};

void require_known(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const Test& test : all_tests()) known.emplace_back(test.name);
  for (const std::string& name : names)
    if (!find_test(name))
      throw base::Error(
          base::Exit::usage,
          {"broch plugin check", "no test " + base::quoted(name) + base::did_you_mean(name, known),
           "one of " + base::join(known, ", "), ""});
}

bool is_asked_for(const Options& options, const std::string& test) {
  return options.tests.empty() || std::ranges::count(options.tests, test) > 0;
}

// Empty if the file cannot be read and the test "readable" is to report the reason.
std::vector<plugins::Component> components_of(const Options& options) {
  try {
    return plugins::open_plugin(options.file, plugins::Origin::flag).metadata.components;
  } catch (const base::Error&) {
    if (!is_asked_for(options, "readable")) throw;
    return {};
  }
}

bool is_for(const Test& test, const plugins::Component& component) {
  if (test.roles.empty()) return true;
  return std::any_of(component.roles.begin(), component.roles.end(), [&](const std::string& role) {
    return std::find(test.roles.begin(), test.roles.end(), role) != test.roles.end();
  });
}

std::vector<Planned> plan(const Options& options, Stage stage,
                          const std::vector<plugins::Component>& components) {
  std::vector<Planned> list;
  const auto wanted = [&](const Test& test) {
    return test.stage == stage && is_asked_for(options, test.name);
  };
  for (const Test& test : all_tests())
    if (wanted(test) && !test.of_component) list.push_back({&test, ""});
  for (const plugins::Component& component : components)
    for (const Test& test : all_tests())
      if (wanted(test) && test.of_component && is_for(test, component))
        list.push_back({&test, component.id});
  return list;
}

std::string last_lines(const std::string& text, size_t count) {
  size_t at = text.size();
  while (at > 0 && text[at - 1] == '\n') --at;
  const size_t end = at;
  for (size_t lines = 0; at > 0; --at)
    if (text[at - 1] == '\n' && ++lines == count) break;
  return text.substr(at, end - at);
}

// The line that the crash handler or the deadline of a call has written, otherwise the last line.
std::string line_about(const std::string& output) {
  for (const char* mark : {"broch: SIG", "error: "})
    if (const size_t at = output.rfind(mark); at != std::string::npos)
      return output.substr(at, output.find('\n', at) - at);
  return last_lines(output, 1);
}

std::string ending(const Ended& ended, double seconds) {
  if (ended.late) return "did not end within " + std::to_string(int(seconds)) + " s";
  if (ended.signal == SIGXCPU) return "used more processor time than it may";
  if (ended.signal != 0) return "ended by SIG" + std::string(sigabbrev_np(ended.signal));
  return "ended with exit code " + std::to_string(ended.exit_code);
}

Result judge(const Job& job, const Ended& ended, double seconds) {
  Result result{job.test, job.component, Status::failed, "", ended.seconds, ended.output};
  const Verdict verdict = read_verdict(ended.verdict);
  const bool ended_well = !ended.late && ended.signal == 0 && ended.exit_code == 0;
  if (verdict.there && (ended_well || verdict.status == Status::failed)) {
    result.status = verdict.status;
    result.message = verdict.message;
  } else {
    result.message = ending(ended, seconds) + (verdict.there ? " after the test" : "");
    const std::string about = line_about(ended.output);
    if (!about.empty()) result.message += ": " + about;
  }
  if (result.status != Status::failed) result.output.clear();
  return result;
}

// Makes the processes of one thread.
class Worker {
 public:
  Ended run(const Job& job, const Arguments& arguments, double seconds) {
    if (!nursery_ || nursery_->is_gone()) nursery_ = std::make_unique<Nursery>(arguments(nullptr));
    if (auto ended = nursery_->run(job, seconds)) return *std::move(ended);
    return run_child(arguments(&job), seconds);
  }

 private:
  std::unique_ptr<Nursery> nursery_;
};

class Runs {
 public:
  Runs(const Options& options, const Arguments& arguments,
       const std::function<void(const Result&)>& show)
      : options_(options), arguments_(arguments), show_(show), workers_(options.jobs) {}

  // Runs the tests in parallel, but shows results in the order of the list.
  void run(const std::vector<Planned>& list) {
    std::vector<Result> results(list.size());
    std::vector<char> done(list.size(), 0);
    std::atomic<size_t> next{0};
    size_t shown = 0;
    std::exception_ptr error;
    const auto work = [&](Worker& worker) {
      for (size_t i; (i = next++) < list.size();) {
        try {
          results[i] = run_one(list[i], worker);
        } catch (...) {
          const std::lock_guard lock(mutex_);
          error = std::current_exception();
          next = list.size();
          return;
        }
        const std::lock_guard lock(mutex_);
        done[i] = 1;
        for (; shown < list.size() && done[shown]; ++shown) show_(results[shown]);
      }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < options_.jobs && i < list.size(); ++i)
      threads.emplace_back(work, std::ref(workers_[i]));
    work(workers_.front());
    for (std::thread& thread : threads) thread.join();
    if (error) std::rethrow_exception(error);
    for (Result& result : results) {
      if (result.status == Status::failed) failed_.insert(result.test + " " + result.component);
      all_.push_back(std::move(result));
    }
  }

  std::vector<Result> take() { return std::move(all_); }

 private:
  Result run_one(const Planned& planned, Worker& worker) const {
    const Job job{planned.test->name, planned.component};
    const std::string broken = broken_ground(planned);
    if (!broken.empty())
      return {job.test, job.component, Status::skipped, broken + " failed", 0, ""};
    return judge(job, worker.run(job, arguments_, options_.seconds), options_.seconds);
  }

  // The name of a failed test without which this one would be meaningless, or "".
  std::string broken_ground(const Planned& planned) const {
    const Stage stage = planned.test->stage;
    if (stage > Stage::file && failed_.contains("readable ")) return "readable";
    if (stage > Stage::load && failed_.contains("load ")) return "load";
    if (planned.test->of_component && failed_.contains("metadata ")) return "metadata";
    for (const char* test : {"options-schema", "create"})
      if (stage > Stage::create && failed_.contains(test + (" " + planned.component))) return test;
    return "";
  }

  const Options& options_;
  const Arguments& arguments_;
  const std::function<void(const Result&)>& show_;
  std::vector<Worker> workers_;  // one for each thread
  std::mutex mutex_;
  std::set<std::string> failed_;  // "TEST COMPONENT"
  std::vector<Result> all_;
};

}  // namespace

std::vector<Result> check(const Options& options, const Arguments& arguments,
                          const std::function<void(const Result&)>& show) {
  require_known(options.tests);
  const std::vector<plugins::Component> components = components_of(options);
  Runs runs(options, arguments, show);
  for (const Stage stage : {Stage::file, Stage::load, Stage::create, Stage::component})
    runs.run(plan(options, stage, components));
  return runs.take();
}

}  // namespace broch::check
